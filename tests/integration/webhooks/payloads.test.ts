import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createHook, type Instance, sendHook, startInstance, stopAll, triggerOf } from '../../harness/index.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
});
afterAll(stopAll);

/** Sends a body to a new webhook. @returns the response and, if a run started, its `$trigger`. */
async function deliver(
  parameters: Parameters<typeof createHook>[1],
  body: string | Uint8Array | FormData | null,
  headers: Record<string, string> = {},
  query = '',
) {
  const hook = await createHook(instance, parameters);
  const method = typeof parameters.method === 'string' ? parameters.method : 'POST';
  const sent = typeof body === 'string' ? Buffer.from(body) : body;
  const answer = await sendHook(instance.gateway, hook.path + query, { method, body: sent, headers });
  const hasRun = answer.status < 400;
  return { answer, path: hook.path, trigger: hasRun ? await triggerOf(instance, answer.body.executionId) : null };
}

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

// Written after the providers' public documentation of their requests.
describe('what providers send arrives as they document it', () => {
  it('a push event of GitHub', async () => {
    const push = {
      ref: 'refs/heads/main',
      before: '6113728f27ae82c7b1a177c8d03f9e96e0adf246',
      after: '59b20b8d5c6ff8d09518454d4dd8b7b30f095ab5',
      repository: { id: 1296269, full_name: 'octocat/Hello-World', private: false },
      pusher: { name: 'Codertocat', email: '21031067+Codertocat@users.noreply.github.com' },
      commits: [
        { id: '59b20b8d5c6ff8d09518454d4dd8b7b30f095ab5', message: 'Grüße 👋', added: [], modified: ['README.md'] },
      ],
    };
    const headers = {
      ...JSON_TYPE,
      'User-Agent': 'GitHub-Hookshot/044aadd',
      'X-GitHub-Delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
      'X-GitHub-Event': 'push',
      'X-GitHub-Hook-ID': '292430182',
      'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    };
    const sent = JSON.stringify(push, null, 1);
    const { trigger } = await deliver({ rawBody: true }, sent, headers);
    expect(trigger.body).toEqual(push);
    expect(trigger.rawBody).toBe(sent);
    for (const [name, value] of Object.entries(headers)) expect(trigger.headers[name.toLowerCase()]).toBe(value);
  });

  it('a ping of GitHub as a form: the JSON stands in its field', async () => {
    const payload = { zen: 'Design for failure.', hook_id: 109948940 };
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    const { trigger } = await deliver({}, body, FORM_TYPE);
    expect(JSON.parse(trigger.body.payload)).toEqual(payload);
  });

  it('an event of Stripe', async () => {
    const event = {
      id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
      object: 'event',
      api_version: '2019-02-19',
      created: 1686089970,
      data: { object: { id: 'pi_3MtwBwLkdIwHu7ix28a3tqPa', object: 'payment_intent', amount: 2000, currency: 'usd' } },
      livemode: false,
      type: 'payment_intent.succeeded',
    };
    const signature =
      't=1492774577,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd,v0=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39';
    const headers = { 'content-type': 'application/json; charset=utf-8', 'Stripe-Signature': signature };
    const { trigger } = await deliver({ rawBody: true }, JSON.stringify(event, null, 2), headers);
    expect([trigger.body, trigger.headers['stripe-signature']]).toEqual([event, signature]);
    expect(trigger.rawBody).toBe(JSON.stringify(event, null, 2));
  });

  it('a slash command of Slack', async () => {
    const fields = {
      token: 'gIkuvaNzQIHg97ATvDxqgjtO',
      team_id: 'T0001',
      team_domain: 'example',
      channel_id: 'C2147483705',
      channel_name: 'test',
      user_id: 'U2147483697',
      user_name: 'Steve',
      command: '/weather',
      text: '94070 & more + 100%',
      response_url: 'https://hooks.slack.com/commands/1234/5678',
      trigger_id: '13345224609.738474920.8088930838d88f008e0',
    };
    const headers = {
      ...FORM_TYPE,
      'X-Slack-Request-Timestamp': '1531420618',
      'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    };
    const sent = new URLSearchParams(fields).toString();
    const { trigger } = await deliver({ rawBody: true }, sent, headers);
    expect([trigger.body, trigger.rawBody]).toEqual([fields, sent]);
    expect(trigger.headers['x-slack-request-timestamp']).toBe('1531420618');
  });

  it('an order of Shopify', async () => {
    // Its ids exceed the exact range of JavaScript numbers, and arrive as texts of their digits.
    const sent = `{"id":820982911946154508,"email":"jon@example.com","total_price":"403.00",
      "line_items":[{"id":866550311766439020,"title":"IPod Nano - 8GB","quantity":1,"price":"199.00"}]}`;
    const headers = {
      ...JSON_TYPE,
      'X-Shopify-Topic': 'orders/create',
      'X-Shopify-Hmac-SHA256': 'XWmrwMey6OsLMeiZKwP4FppHH3cmAiiJJAweH5Jo4bM=',
      'X-Shopify-Shop-Domain': 'example.myshopify.com',
      'X-Shopify-Webhook-Id': 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043',
    };
    const { trigger } = await deliver({ rawBody: true }, sent, headers, '?shop=example&hmac=abc%3D');
    expect([trigger.body, trigger.rawBody, trigger.query]).toEqual([
      {
        id: '820982911946154508',
        email: 'jon@example.com',
        total_price: '403.00',
        line_items: [{ id: '866550311766439020', title: 'IPod Nano - 8GB', quantity: 1, price: '199.00' }],
      },
      sent,
      { shop: 'example', hmac: 'abc=' },
    ]);
    expect(trigger.headers['x-shopify-hmac-sha256']).toBe('XWmrwMey6OsLMeiZKwP4FppHH3cmAiiJJAweH5Jo4bM=');
  });

  it('an upload of files with fields beside them', async () => {
    const picture = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256));
    const form = new FormData();
    form.append('title', 'Ferien ☀');
    form.append('tag', 'a');
    form.append('Größe €', new Blob(['x']), 'größe €.txt');
    form.append('tag', 'b');
    form.append('__proto__', 'x');
    form.append('picture', new Blob([picture], { type: 'image/png' }), 'sea.png');
    form.append('note', new Blob(['hello'], { type: 'text/plain' }), '../../etc/passwd');
    form.append('empty', new Blob([]), 'empty.bin');
    const { trigger } = await deliver({}, form);
    expect(Object.entries(trigger.body)).toEqual(
      expect.arrayContaining([
        ['title', 'Ferien ☀'],
        ['tag', ['a', 'b']],
        ['__proto__', 'x'],
        [
          'picture',
          { filename: 'sea.png', contentType: 'image/png', bytes: 70_000, base64: picture.toString('base64') },
        ],
        ['Größe €', { filename: 'größe €.txt', contentType: 'application/octet-stream', bytes: 1, base64: 'eA==' }],
        ['note', { filename: 'passwd', contentType: 'text/plain', bytes: 5, base64: 'aGVsbG8=' }],
        ['empty', { filename: 'empty.bin', contentType: 'application/octet-stream', bytes: 0, base64: '' }],
      ]),
    );
    expect(trigger.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
  });
});

it('a body with a number beyond all numbers has its text', async () => {
  expect((await deliver({}, '{"a":1e999}', JSON_TYPE)).trigger.body).toEqual({ a: '1e999' });
});

describe('the query', () => {
  it('goes on to its end: a question mark is part of a value', async () => {
    const query = '?url=https://shop.example/item?id=5&user=7&hmac=a?b';
    const { trigger } = await deliver({}, '{}', JSON_TYPE, query);
    expect(trigger.query).toEqual({ url: 'https://shop.example/item?id=5', user: '7', hmac: 'a?b' });
  });

  it('may have escapes of UTF-8 and of Latin-1', async () => {
    const { trigger } = await deliver({}, '{}', JSON_TYPE, '?old=J%F6rg&new=J%C3%B6rg');
    expect(trigger.query).toEqual({ old: 'Jörg', new: 'Jörg' });
  });

  it('as a whole tells requests under one Idempotency-Key apart', async () => {
    const hook = await createHook(instance, {});
    const send = (query: string) =>
      sendHook(instance.gateway, hook.path + query, { body: '{}', headers: { ...JSON_TYPE, 'idempotency-key': 'q' } });
    const first = await send('?a=1?&b=2');
    expect(await send('?a=1?&b=2')).toMatchObject({ status: 200, body: { executionId: first.body.executionId } });
    expect(await send('?a=1?&b=3')).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
  });
});

const LATIN_1_XML = '<?xml version="1.0" encoding="ISO-8859-1"?><name>Jörg</name>';

describe('auto goes by the content type', () => {
  const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x00, 0xff]);
  const binary = (contentType: string) => ({ base64: bytes.toString('base64'), contentType, bytes: 6 });
  const cases: [string, string | Buffer, unknown][] = [
    ['application/json', '{"a":1}', { a: 1 }],
    ['application/json', '\uFEFF[1]', [1]],
    ['APPLICATION/JSON;charset=UTF-8', '"text"', 'text'],
    ['application/vnd.api+json', 'null', null],
    ['application/json', '', null],
    ['application/x-www-form-urlencoded', 'a=1&a=2&b=%C3%A4+x&c', { a: ['1', '2'], b: 'ä x', c: '' }],
    ['application/x-www-form-urlencoded', '', {}],
    [
      'application/x-www-form-urlencoded',
      '__proto__=1&constructor=2',
      JSON.parse('{"__proto__":"1","constructor":"2"}'),
    ],
    ['text/plain', 'hello', 'hello'],
    ['text/plain; charset=iso-8859-1', Buffer.from([0xe4]), 'ä'],
    ['text/csv', 'a,b\n', 'a,b\n'],
    ['text/csv', Buffer.from('\uFEFFJörg', 'utf16le'), 'Jörg'],
    ['text/plain; charset=iso-8859-1', '\uFEFFä', 'ä'],
    ['text/xml', Buffer.from(LATIN_1_XML, 'latin1'), LATIN_1_XML],
    ['text/xml; charset=utf-8', LATIN_1_XML, LATIN_1_XML],
    ['application/json; charset=iso-8859-1', Buffer.from('{"a":"ä"}', 'latin1'), { a: 'ä' }],
    ['application/json', Buffer.from('\uFEFF{"a":"ä"}', 'utf16le'), { a: 'ä' }],
    ['application/x-www-form-urlencoded; charset=windows-1252', 'a=%80+%e4&b', { a: '€ ä', b: '' }],
    ['application/x-www-form-urlencoded', 'a=J%F6rg&%E4=%C3%A4&c=%EF%BF%BD', { a: 'Jörg', ä: 'ä', c: '\uFFFD' }],
    ['application/xml', '<a/>', '<a/>'],
    ['image/svg+xml', '<svg/>', '<svg/>'],
    ['image/png', bytes, binary('image/png')],
    ['application/octet-stream', bytes, binary('application/octet-stream')],
    ['application/octet-stream', '', null],
    ['application/octet-stream', 'hi', { base64: 'aGk=', contentType: 'application/octet-stream', bytes: 2 }],
    ['image/gif', 'hi', { base64: 'aGk=', contentType: 'image/gif', bytes: 2 }],
    ['application/pdf', 'hi', { base64: 'aGk=', contentType: 'application/pdf', bytes: 2 }],
    ['application/x-ndjson', '{"a":1}\n{"a":2}\n', '{"a":1}\n{"a":2}\n'],
    ['application/x-yaml; charset=klingon', 'a: ä', 'a: ä'],
    ['application/x-unheard-of', bytes, binary('application/x-unheard-of')],
    ['application/x-unheard-of', 'a\0', { base64: 'YQA=', contentType: 'application/x-unheard-of', bytes: 2 }],
    ['nonsense', 'text', 'text'],
    ['application/x-unheard-of', '', null],
  ];

  it.each(cases)('or is a text where that says nothing and it is UTF-8: %s %p', async (contentType, body, expected) => {
    const { trigger } = await deliver({}, body, { 'content-type': contentType });
    expect(trigger.body).toEqual(expected);
  });

  it('headers are UTF-8, or Latin-1', async () => {
    const headers = { 'x-name': Buffer.from('Jörg €').toString('latin1'), 'x-old': 'Jörg' };
    expect((await deliver({}, 'a', headers)).trigger.headers).toMatchObject({ 'x-name': 'Jörg €', 'x-old': 'Jörg' });
  });

  it('without one it is a text, where it is UTF-8, else binary; without a body it is null', async () => {
    expect((await deliver({}, Buffer.from('hällo'))).trigger.body).toBe('hällo');
    expect((await deliver({}, bytes)).trigger.body).toEqual(binary(''));
    expect((await deliver({}, null)).trigger.body).toBeNull();
    expect((await deliver({ method: 'GET' }, null, {}, '?a=b')).trigger).toMatchObject({
      body: null,
      query: { a: 'b' },
    });
  });
});

describe('a payload type of its own', () => {
  const TEXT_TYPE = { 'content-type': 'text/plain' };

  it('reads the body so, whatever it is called', async () => {
    expect((await deliver({ payloadType: 'json' }, '{"a":1}', TEXT_TYPE)).trigger.body).toEqual({ a: 1 });
    expect((await deliver({ payloadType: 'form' }, 'a=1', TEXT_TYPE)).trigger.body).toEqual({ a: '1' });
    expect((await deliver({ payloadType: 'text' }, '{"a":1}', JSON_TYPE)).trigger.body).toBe('{"a":1}');
    expect((await deliver({ payloadType: 'binary' }, 'hi', TEXT_TYPE)).trigger.body).toEqual({
      base64: 'aGk=',
      contentType: 'text/plain',
      bytes: 2,
    });
  });

  it('keeps a raw body that is not text as a binary one', async () => {
    const { trigger } = await deliver({ rawBody: true, payloadType: 'binary' }, Buffer.from([0xff, 0x00]));
    expect(trigger.rawBody).toEqual({ base64: '/wA=', contentType: '', bytes: 2 });
    expect((await deliver({}, '{}', JSON_TYPE)).trigger).not.toHaveProperty('rawBody');
  });
});

describe('400 for a body that its type cannot parse, and no run', () => {
  const SHIFT_JIS = { 'content-type': 'application/json; charset=shift_jis' };
  const SHIFT_JIS_FORM = { 'content-type': `${FORM_TYPE['content-type']}; charset=shift_jis` };
  const MULTIPART = { 'content-type': 'multipart/form-data; boundary=x' };
  const cases: [string, object, string | Buffer, Record<string, string>, string][] = [
    ['JSON that is none', {}, '{"a":', JSON_TYPE, 'INVALID_JSON'],
    ['JSON that is not UTF-8', {}, Buffer.from([0x22, 0xff, 0x22]), JSON_TYPE, 'INVALID_JSON'],
    ['JSON nested without end', {}, '['.repeat(5_000) + ']'.repeat(5_000), JSON_TYPE, 'VALIDATION_FAILED'],
    ['JSON with NUL', {}, '{"a":"\\u0000"}', JSON_TYPE, 'VALIDATION_FAILED'],
    ['a form as JSON', { payloadType: 'json' }, 'a=1', FORM_TYPE, 'INVALID_JSON'],
    [
      'a text that is not UTF-8',
      {},
      Buffer.from([0xff, 0xfe, 0x00]),
      { 'content-type': 'text/plain' },
      'VALIDATION_FAILED',
    ],
    ['a text with NUL', {}, 'a\0b', { 'content-type': 'text/plain' }, 'VALIDATION_FAILED'],
    ['a text of no charset', {}, 'a', { 'content-type': 'text/plain; charset=klingon' }, 'VALIDATION_FAILED'],
    ['a form that is not UTF-8', {}, Buffer.from([0x61, 0x3d, 0xff]), FORM_TYPE, 'VALIDATION_FAILED'],
    ['JSON that is not in its charset', {}, Buffer.from([0x22, 0xff, 0x22]), SHIFT_JIS, 'VALIDATION_FAILED'],
    ['a form that is not in its charset', {}, 'a=%FF', SHIFT_JIS_FORM, 'VALIDATION_FAILED'],
    ['a form with NUL', {}, 'a=%00', FORM_TYPE, 'VALIDATION_FAILED'],
    ['a form with too many fields', {}, 'a&'.repeat(10_001), FORM_TYPE, 'VALIDATION_FAILED'],
    ['a multipart form without boundary', {}, 'x', { 'content-type': 'multipart/form-data' }, 'VALIDATION_FAILED'],
    ['a multipart form that is none', {}, 'x', MULTIPART, 'VALIDATION_FAILED'],
    [
      'a multipart form cut off',
      {},
      '--x\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\nabc',
      MULTIPART,
      'VALIDATION_FAILED',
    ],
    [
      'a multipart form with too many parts',
      {},
      `${'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'.repeat(1_001)}--x--`,
      MULTIPART,
      'VALIDATION_FAILED',
    ],
  ];

  it.each(cases)('%s', async (_name, parameters, body, headers, code) => {
    const runs = await instance.db.execution.count();
    const { answer } = await deliver({ ...parameters }, body, headers);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
    expect(await instance.db.execution.count()).toBe(runs);
  });

  it('415 for a body with a Content-Encoding', async () => {
    const { answer } = await deliver({}, '{}', { ...JSON_TYPE, 'content-encoding': 'gzip' });
    expect([answer.status, answer.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('but not for one whose Content-Encoding is not a coding', async () => {
    const { trigger } = await deliver({}, '{"a":1}', { ...JSON_TYPE, 'content-encoding': 'UTF-8' });
    expect(trigger.body).toEqual({ a: 1 });
  });
});

describe('files that a trigger stores', () => {
  const PDF_TYPE = { 'content-type': 'application/pdf' };

  it('are values of the run, whether a body or parts of a form; other bodies are as before', async () => {
    const pdf = randomBytes(2_000_000);
    const { answer, trigger } = await deliver({ files: 'stored' }, pdf, PDF_TYPE);
    const { file } = trigger.body;
    expect(file).toMatchObject({ contentType: 'application/pdf', bytes: pdf.length });
    const { url } = instance.gateway;
    const response = await fetch(`${url}/api/executions/${answer.body.executionId}/files/${file.id}`, {
      headers: { 'x-api-key': instance.key },
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(pdf)).toBe(true);
    const form = new FormData();
    form.append('title', 'a');
    form.append('scan', new Blob([pdf], { type: 'application/pdf' }), 'scan.pdf');
    const sent = await deliver({ files: 'stored' }, form);
    // The same content is the same file, under the name of the part.
    expect(sent.trigger.body).toEqual({ title: 'a', scan: { file: { ...file, name: 'scan.pdf' } } });
    expect((await deliver({ files: 'stored' }, '{"a":1}', JSON_TYPE)).trigger.body).toEqual({ a: 1 });
    expect((await deliver({ files: 'stored' }, null, PDF_TYPE)).trigger.body).toBeNull();
  });

  it('expire when the request starts no run, and are refused above the limit', async () => {
    const parameters = { files: 'stored', bodySchema: { required: ['order'] } };
    const { answer } = await deliver(parameters, randomBytes(1_234_567), PDF_TYPE);
    expect(answer.status).toBe(400);
    const [kept] = await instance.db.file.findMany({ where: { bytes: 1_234_567 } });
    expect(kept?.expiresAt).toBeInstanceOf(Date);
    const large = await deliver({ files: 'stored' }, Buffer.alloc(10_485_761), PDF_TYPE);
    expect([large.answer.status, large.answer.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(await instance.db.unfinishedFile.count()).toBe(0);
  });
});

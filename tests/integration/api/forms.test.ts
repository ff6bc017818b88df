import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Definition, FileValue, JsonObject } from '@deckhand/contracts';
import { callWithKey, type Instance, startInstance, startTestWorker, stopAll, until } from '../../harness/index.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
  await startTestWorker(instance);
});
afterAll(stopAll);

const call = callWithKey(() => instance);

const fields = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', title: 'Your name', maxLength: 20 },
    seats: { type: 'integer', minimum: 1, default: 1 },
  },
  additionalProperties: false,
};

interface PublicForm {
  readonly workflowId: string;
  readonly url: string;
}

/** Saves a workflow that begins with a form, and activates it unless it is said otherwise. */
async function createForm(
  parameters: JsonObject = {},
  { settings, isActive = true }: { settings?: Definition['settings']; isActive?: boolean } = {},
): Promise<PublicForm> {
  const { workspaceId } = instance;
  const definition = {
    nodes: [
      { id: 'form', type: 'trigger.form', parameters: { title: 'Course <1>', schema: fields, ...parameters } },
      { id: 'note', type: 'set', parameters: { fields: { got: '{{ $trigger }}' } } },
    ],
    edges: [{ source: 'form', target: 'note' }],
    ...(settings && { settings }),
  };
  const created = await call('POST', '/api/workflows', { workspaceId, name: 'Form', definition });
  if (created.status !== 201) throw new Error(created.text);
  const { id, webhooks } = created.body;
  expect(webhooks).toMatchObject([{ nodeId: 'form', method: 'GET' }]);
  if (isActive) await call('PATCH', `/api/workflows/${id}`, { status: 'active' });
  return { workflowId: id, url: instance.gateway.url + new URL(webhooks[0]!.url).pathname };
}

interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function open(url: string, init?: RequestInit): Promise<Page> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const send = (url: string, entered: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) =>
  open(url, { method: 'POST', body: new URLSearchParams(entered), headers });

const submissionIn = (text: string): string => /name="submission" value="([^"]+)"/.exec(text)?.[1] ?? '';

async function runsOf({ workflowId }: PublicForm) {
  return (await call('GET', `/api/workflows/${workflowId}/executions`)).body.data;
}

/** The data that the only run of a form was started with, once it has ended. */
async function resultOf(form: PublicForm): Promise<unknown> {
  const run = await until(async () => {
    const runs = await runsOf(form);
    expect(runs.length).toBeLessThan(2);
    return runs.find(({ status }) => status === 'success');
  }, 'the run of the form');
  const { body } = await call('GET', `/api/executions/${run.id}`);
  return body.progress.note?.output;
}

describe('a form that starts runs', () => {
  it('has a page without scripts at a stable URL, and starts a run with what was entered', async () => {
    const form = await createForm({ intro: 'Two\nlines' });
    const page = await open(form.url);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('x-robots-tag')).toBe('noindex');
    expect(page.text).toContain('<h1>Course &lt;1&gt;</h1>');
    expect(page.text).toContain('Two\nlines');
    expect(page.text).toMatch(/<label for="field-0">Your name<\/label>/);
    expect(page.text).not.toContain('<script');

    const sent = await send(form.url, {
      submission: submissionIn(page.text),
      'field-0': 'Ada',
      'field-1': '2',
      'field-9': 'ignored',
    });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, '?sent=1']);
    expect(await resultOf(form)).toEqual({ got: { name: 'Ada', seats: 2 } });
    expect((await open(`${form.url}?sent=1`)).text).toContain('Thank you. Your form was sent.');
    expect((await runsOf(form))[0]).toMatchObject({ source: 'webhook', executionMode: 'normal' });
    const deliveries = await until(async () => {
      const { data } = (await call('GET', `/api/workflows/${form.workflowId}/deliveries`)).body;
      return data.length > 0 ? data : undefined;
    }, 'the record of the request');
    expect(deliveries).toMatchObject([{ nodeId: 'form', method: 'POST', status: 303, errorCode: null }]);
  });

  it('starts one run for two clicks, and none by a GET of any kind', async () => {
    const form = await createForm();
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH']) {
      const { status } = await open(`${form.url}?field-0=Ada`, { method });
      expect(status).toBe(method === 'GET' || method === 'HEAD' ? 200 : 405);
    }
    const submission = submissionIn((await open(form.url)).text);
    const entered = { submission, 'field-0': 'Ada', 'field-1': '1' };
    const clicks = await Promise.all([send(form.url, entered), send(form.url, entered)]);
    expect(clicks.map(({ status }) => status)).toEqual([303, 303]);
    expect(await resultOf(form)).toEqual({ got: { name: 'Ada', seats: 1 } });
    // Back on the page, the next person is entered.
    expect((await send(form.url, { ...entered, 'field-0': 'Grace' })).status).toBe(303);
    expect(await runsOf(form)).toHaveLength(2);
  });

  it('shows what is wrong beside what was entered, and starts nothing', async () => {
    const form = await createForm();
    const wrong = await send(form.url, { 'field-0': '"><script>', 'field-1': '0' });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('value="&quot;&gt;&lt;script&gt;"');
    expect(wrong.text).toMatch(/<li>seats: /);
    expect((await send(form.url, {})).status).toBe(400);
    expect((await send(form.url, { 'field-0': 'a\0' })).status).toBe(400);
    expect((await send(form.url, { 'field-0': 'x'.repeat(140_000) })).status).toBe(413);
    const json = { method: 'POST', body: '{"name":"Ada"}', headers: { 'content-type': 'application/json' } };
    expect((await open(form.url, json)).status).toBe(415);
    expect(await runsOf(form)).toEqual([]);
  });

  it('403: takes no form of another site', async () => {
    const form = await createForm();
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://a.example' },
    ];
    for (const headers of foreign) {
      expect((await send(form.url, { 'field-0': 'Ada' }, headers)).status).toBe(403);
    }
    expect(await runsOf(form)).toEqual([]);
  });

  it('leads to another address from a page of its own, so that the address may redirect anywhere', async () => {
    const form = await createForm({ redirectUrl: 'https://shop.example/日本?a=1&b=2' });
    const page = await open(form.url);
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self';");
    const sent = await send(form.url, { 'field-0': 'Ada' });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, '?sent=1']);
    const next = await open(`${form.url}?sent=1`);
    expect([next.status, next.headers.get('refresh')]).toEqual([
      200,
      '0; url=https://shop.example/%E6%97%A5%E6%9C%AC?a=1&b=2',
    ]);
    expect(next.headers.get('referrer-policy')).toBe('no-referrer');
    expect(next.text).toContain(
      '<a href="https://shop.example/%E6%97%A5%E6%9C%AC?a=1&amp;b=2" rel="noreferrer">Continue</a>',
    );
    // Without an address, the page leads nowhere.
    const other = await open(`${(await createForm()).url}?sent=1`);
    expect([other.headers.get('refresh'), other.text.includes('<a ')]).toEqual([null, false]);
  });

  it('410 while its workflow is not active or the trigger is disabled; its path starts nothing as a webhook, nor others as forms', async () => {
    const form = await createForm({}, { isActive: false });
    for (const page of [await open(form.url), await send(form.url, { 'field-0': 'Ada' })]) {
      expect([page.status, page.text.includes('This form is closed')]).toEqual([410, true]);
    }
    await call('PATCH', `/api/workflows/${form.workflowId}`, { status: 'active' });
    expect((await open(form.url)).status).toBe(200);
    expect((await open(form.url.replace('/form/', '/webhook/'), { method: 'POST' })).status).toBe(404);
    expect((await open(form.url.replace('/form/', '/form-test/'))).status).toBe(404);
    await call('PATCH', `/api/workflows/${form.workflowId}`, { status: 'inactive' });
    expect((await open(form.url)).status).toBe(410);
    const { workspaceId } = instance;
    const definition = { nodes: [{ id: 'hook', type: 'trigger.webhook' }], edges: [] };
    const hook = (await call('POST', '/api/workflows', { workspaceId, name: 'Hook', definition })).body;
    await call('PATCH', `/api/workflows/${hook.id}`, { status: 'active' });
    const { pathname } = new URL(hook.webhooks[0]!.url);
    for (const path of [pathname.replace('/webhook/', '/form/'), '/form/unknown-path', '/form/%ff', '/form/a']) {
      expect((await open(instance.gateway.url + path)).status).toBe(404);
    }
    expect(await runsOf(form)).toEqual([]);
  });

  it('has a test URL that runs the latest version while an editor keeps it open, and can get another URL', async () => {
    const form = await createForm({}, { isActive: false });
    const path = `/api/workflows/${form.workflowId}/webhooks/form` as const;
    const { body } = await call('POST', `${path}/test`);
    const test = instance.gateway.url + new URL(body.url).pathname;
    expect(test).toContain('/form-test/');
    expect((await send(test, { 'field-0': 'Ada', 'field-1': '1' })).status).toBe(303);
    expect(await resultOf(form)).toEqual({ got: { name: 'Ada', seats: 1 } });
    expect((await runsOf(form))[0]).toMatchObject({ executionMode: 'test' });
    const changed = (await call('POST', `${path}/url`, { path: 'a-new-path-of-it' })).body;
    expect(new URL(changed.url).pathname).toBe('/form/a-new-path-of-it');
    expect((await open(form.url)).status).toBe(404);
  });

  it('429 beyond the rate limit of the workflow, and beyond what one network may send', async () => {
    const limited = await createForm({}, { settings: { rateLimit: { max: 1, windowSeconds: 60 } } });
    expect((await send(limited.url, { 'field-0': 'Ada' })).status).toBe(303);
    const beyond = await send(limited.url, { 'field-0': 'Ada' });
    expect([beyond.status, Number(beyond.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect(await runsOf(limited)).toHaveLength(1);

    const form = await createForm();
    const statuses = await Promise.all(Array.from({ length: 125 }, async () => (await send(form.url, {})).status));
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
  });
});

describe('a form with files', () => {
  const scan = { title: 'Your scan', file: { accept: ['.txt', 'image/*'], maxBytes: 200_000 } };
  const more = { type: 'array', items: { file: { maxBytes: 10 } }, maxItems: 2 };
  const schema = { type: 'object', required: ['scan'], properties: { scan, more, note: { type: 'string' } } };

  function sendFiles(url: string, files: readonly (readonly [string, string, string])[]): Promise<Page> {
    const body = new FormData();
    body.append('field-2', 'a note');
    for (const [input, name, content] of files) body.append(input, new Blob([content]), name);
    return open(url, { method: 'POST', body });
  }

  it('starts a run with the files, and leaves none of a refused form behind', async () => {
    const form = await createForm({ schema });
    expect((await open(form.url)).text).toContain('enctype="multipart/form-data"');
    const content = 'x'.repeat(150_000);
    const refused = [
      [await sendFiles(form.url, [['field-0', 'a.exe', content]]), 400, 'Your scan: must be a file of the type'],
      [await sendFiles(form.url, [['field-0', 'a.txt', content + content]]), 413, 'at most 200,000 bytes'],
      [
        await sendFiles(form.url, [
          ['field-0', 'a.txt', content],
          ...['b', 'c', 'd'].map((name) => ['field-1', name, name] as const),
        ]),
        400,
        'must NOT have more than 2 files',
      ],
      [await sendFiles(form.url, []), 400, 'Your scan: is required'],
    ] as const;
    for (const [page, status, issue] of refused) {
      expect([page.status, page.text]).toEqual([status, expect.stringContaining(issue)]);
      expect(page.text).toContain('Choose the files again.');
    }
    const claimed = JSON.stringify({
      file: { id: form.workflowId, name: 'a', contentType: 'b', bytes: 1, sha256: '' },
    });
    expect((await send(form.url, { 'field-0': claimed })).status).toBe(400);
    expect(await runsOf(form)).toEqual([]);
    expect(await instance.db.$queryRaw`SELECT id FROM files WHERE expires_at > now()`).toEqual([]);

    expect(
      (
        await sendFiles(form.url, [
          ['field-0', 'a.txt', content],
          ['field-1', 'b', 'b'],
        ])
      ).status,
    ).toBe(303);
    const value = (name: string, bytes: number) => ({ file: expect.objectContaining({ name, bytes }) });
    const { got } = (await resultOf(form)) as { got: { scan: FileValue } };
    expect(got).toEqual({ scan: value('a.txt', 150_000), more: [value('b', 1)], note: 'a note' });
    const [run] = await runsOf(form);
    const path = `${instance.gateway.url}/api/executions/${run!.id}/files/${got.scan.file.id}`;
    const download = await fetch(path, { headers: { 'x-api-key': instance.key } });
    expect(await download.text()).toBe(content);
    expect(
      await instance.db.$queryRaw`SELECT id FROM files WHERE expires_at IS NOT NULL AND id = ${got.scan.file.id}::uuid`,
    ).toEqual([]);
  });
});

describe('a definition with a form', () => {
  it.each([
    [
      'a field that plain inputs cannot show',
      { schema: { type: 'object', properties: { a: { type: 'object' } } } },
      'schema',
    ],
    ['another type than an object', { schema: { type: 'string' } }, 'schema'],
    [
      'a schema that is invalid',
      { schema: { type: 'object', properties: { a: { type: 'string', pattern: '(' } } } },
      'schema',
    ],
    ['an expression that nothing could evaluate', { title: '{{ $now }}' }, 'title'],
    ['an address that browsers do not know', { redirectUrl: 'https://' }, 'redirectUrl'],
    ['an address that runs a script', { redirectUrl: 'javascript:alert(1)' }, 'redirectUrl'],
  ])('is refused with %s', async (_name, parameters, at) => {
    const { workspaceId } = instance;
    const nodes = [{ id: 'form', type: 'trigger.form', parameters: { title: 'A', schema: fields, ...parameters } }];
    const { status, body } = await call('POST', '/api/workflows', {
      workspaceId,
      name: 'Form',
      definition: { nodes, edges: [] },
    });
    expect(status).toBe(400);
    expect(JSON.stringify(body.details)).toContain(`parameters.${at}`);
  });
});

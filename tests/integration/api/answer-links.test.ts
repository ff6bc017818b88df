import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FileValue, JsonObject } from '@deckhand/contracts';
import {
  callWithKey,
  createWorkflow,
  type Gateway,
  type Instance,
  startGateway,
  startInstance,
  startTcpProxy,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';
import { type Echo, echoOf, serve } from '../../harness/serve.ts';

let instance: Instance;
let gateway: Gateway;
/** What the receiver of notifications got. */
const received: Echo[] = [];
let receiverUrl: string;
/** Every token that a test used. */
const used = new Set<string>();

beforeAll(async () => {
  instance = await startInstance();
  ({ gateway } = instance);
  await startTestWorker(instance, { publicUrl: gateway.url });
  ({ url: receiverUrl } = await serve((request, response) => {
    void echoOf(request).then((echo) => {
      received.push(echo);
      response.end();
    });
  }));
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const read = async (id: string) => (await call('GET', `/api/executions/${id}`)).body;
const end = (id: string, status: string) =>
  until(async () => (await read(id)).status === status, `the run to be ${status}`);

const start = { id: 'start', type: 'trigger.manual' };
const mail = { id: 'mail', type: 'set', parameters: { fields: { link: '{{ $links.ask }}' } } };
const paid = { id: 'paid', type: 'set', parameters: { fields: { decided: '{{ $input }}' } } };
const approval = (parameters: JsonObject = {}) => ({
  id: 'ask',
  type: 'approval',
  parameters: { message: 'Pay?', allowLinks: true, ...parameters },
});
const human = (parameters: JsonObject) => ({
  id: 'ask',
  type: 'human',
  parameters: { title: 'Who?', allowLinks: true, ...parameters },
});

/** Starts a run that makes a link and then waits where it leads to. */
async function waitingRun(ask: JsonObject = approval(), status = 'waiting_for_input') {
  const handle = ask.type === 'approval' ? { sourceHandle: 'approved' } : {};
  const workflowId = await createWorkflow(instance, {
    nodes: [start, mail, ask, paid],
    edges: [
      { source: 'start', target: 'mail' },
      { source: 'mail', target: 'ask' },
      { source: 'ask', target: 'paid', ...handle },
    ],
  });
  const { body } = await call('POST', `/api/workflows/${workflowId}/execute`);
  const id: string = body.executionId;
  await end(id, status);
  return { id, link: linkIn((await read(id)).progress.mail?.output) };
}

function linkIn(output: unknown): string {
  const { link } = output as { link: string };
  used.add(link.slice(link.lastIndexOf('/') + 1));
  return link;
}

/** The address of a token that this instance signed, whatever it is for. */
function linkFor(executionId: string, nodeId: string, iteration = ''): string {
  const token = gateway.services.links.answerTokens.sign({ executionId, nodeId, iteration });
  used.add(token);
  return `${gateway.url}/answer/${token}`;
}

interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function open(link: string, init?: RequestInit): Promise<Page> {
  const response = await fetch(link, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const post = (link: string, fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) =>
  open(link, { method: 'POST', body: new URLSearchParams(fields), headers });

describe('a link to an approval', () => {
  it('shows the question, and its answer continues the run, once, with a record of where it came from', async () => {
    const { id, link } = await waitingRun(approval({ message: 'Pay 9?', choices: ['approved', 'later'] }));
    const shown = await open(link);
    expect(shown.status).toBe(200);
    expect(shown.text).toContain('Pay 9?');
    expect(shown.text).toMatch(/<button name="decision" value="approved">.*<button name="decision" value="later">/s);

    const answered = await post(link, { decision: 'approved', comment: 'Fine,\r\nby me' });
    expect(answered.status).toBe(200);
    expect(answered.text).toContain('Your answer is recorded.');
    await end(id, 'success');
    const run = await read(id);
    expect(run.progress.paid?.output).toEqual({
      decided: { decision: 'approved', approved: true, comment: 'Fine,\nby me', by: null, at: expect.any(String) },
    });
    expect(run.data.approvals).toMatchObject([{ decision: 'approved', by: null, byUser: null }]);
    const { body } = await call('GET', `/api/audit-log?workspaceId=${instance.workspaceId}&resourceId=${id}`);
    expect(body.data).toMatchObject([
      {
        action: 'execution.decide',
        userId: null,
        details: { nodeId: 'ask', by: 'link' },
        address: expect.stringMatching(/127\.0\.0\.1$/),
      },
    ]);

    const later = await open(link);
    expect([later.status, later.text.includes('<form')]).toEqual([200, false]);
    expect(later.text).toMatch(/<strong>approved<\/strong>.*Answered through this link/s);
    // The response may have been lost: the same answer again is told the same, another one that it does not count.
    const again = await post(link, { decision: 'approved', comment: 'Fine,\r\nby me' });
    expect([again.status, again.text]).toEqual([200, answered.text]);
    const other = await post(link, { decision: 'later', comment: '' });
    expect([other.status, other.text.includes('Your answer was not recorded.')]).toEqual([409, true]);
    expect((await read(id)).data.approvals).toHaveLength(1);
  });

  it('takes one of several answers at once; all others are told that they were not recorded', async () => {
    const { id, link } = await waitingRun(approval({ choices: ['approved', 'b', 'c', 'd', 'e', 'f'] }));
    const choices = ['approved', 'b', 'c', 'd', 'e', 'f'];
    const pages = await Promise.all(choices.map((decision) => post(link, { decision })));
    expect(pages.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    await end(id, 'success');
    const [kept] = (await read(id)).data.approvals;
    expect(kept?.decision).toBe(choices[pages.findIndex(({ status }) => status === 200)]);
    expect(await instance.db.auditEntry.count({ where: { resourceId: id } })).toBe(1);
  });

  it('may be fetched by scanners as often as they like: only a POST changes anything', async () => {
    const { id, link } = await waitingRun();
    const stateOfAll = async () => ({
      execution: await instance.db.execution.findUnique({ where: { id } }),
      waits: await instance.db.wait.findMany({ where: { executionId: id } }),
      audit: await instance.db.auditEntry.count({ where: { resourceId: id } }),
    });
    const before = await stateOfAll();
    for (const path of ['', '?decision=approved', '?comment=x&decision=approved']) {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH']) {
        const { status } = await open(link + path, { method });
        expect(status).toBe(method === 'GET' || method === 'HEAD' ? 200 : 405);
      }
    }
    expect(await stateOfAll()).toEqual(before);
    expect((await read(id)).status).toBe('waiting_for_input');
  });

  it('says that a person has answered, or that the time was up, and takes nothing then', async () => {
    const decided = await waitingRun();
    await call('POST', '/api/approvals/submit', { executionId: decided.id, nodeId: 'ask', approved: false });
    expect((await open(decided.link)).text).toMatch(/<strong>rejected<\/strong>.*by a member of the workspace/s);
    expect((await post(decided.link, { decision: 'rejected' })).status).toBe(409);

    const late = await waitingRun(approval({ timeoutSeconds: 0.3 }), 'failed');
    const page = await open(late.link);
    expect([page.status, page.text.includes('The time to answer was up')]).toEqual([200, true]);
    expect((await post(late.link, { decision: 'approved' })).status).toBe(409);
  });

  it('leads nowhere before its node waits, while the run is paused, and after its end', async () => {
    const workflowId = await createWorkflow(instance, {
      nodes: [start, mail, { id: 'rest', type: 'wait', parameters: { seconds: 3_600 } }, approval()],
      edges: [
        { source: 'start', target: 'mail' },
        { source: 'mail', target: 'rest' },
        { source: 'rest', target: 'ask' },
      ],
    });
    const { executionId } = (await call('POST', `/api/workflows/${workflowId}/execute`)).body;
    const output = await until(async () => (await read(executionId)).progress.mail?.output, 'the link');
    const early = linkIn(output);
    expect((await open(early)).text).toContain('Not waiting yet');
    expect((await post(early, { decision: 'approved' })).status).toBe(409);
    await call('POST', `/api/executions/${executionId}/stop`);
    expect((await open(early)).text).toContain('No longer needed');
    expect((await post(early, { decision: 'approved' })).status).toBe(409);

    const { id, link } = await waitingRun();
    await call('POST', `/api/executions/${id}/pause`);
    expect((await open(link)).text).toContain('Paused');
    expect((await post(link, { decision: 'approved' })).status).toBe(409);
    await call('POST', `/api/executions/${id}/stop`);
    expect((await open(link)).text).toContain('No longer needed');
    expect((await read(id)).data.approvals).toEqual([]);
  });

  it('is refused with its page for a decision that is not a choice, and for a comment that is too long', async () => {
    const { id, link } = await waitingRun();
    const bad: Record<string, string>[] = [
      {},
      { decision: 'maybe' },
      { decision: 'approved', comment: 'x'.repeat(10_001) },
    ];
    for (const fields of bad) {
      const page = await post(link, fields);
      expect([page.status, page.text.includes('Nothing was recorded yet.')]).toEqual([400, true]);
      expect(page.text).toContain('<button name="decision" value="approved">');
    }
    expect((await post(link, { decision: 'approved', comment: 'é\0' })).status).toBe(400);
    expect((await read(id)).status).toBe('waiting_for_input');
    // The longest comment, in characters that take the most bytes in a form.
    expect((await post(link, { decision: 'approved', comment: '€'.repeat(10_000) })).status).toBe(200);
    await end(id, 'success');
  });

  it('takes nothing but its own form: 413, 415, 403', async () => {
    const { id, link } = await waitingRun();
    expect((await post(link, { decision: 'approved', comment: 'x'.repeat(140_000) })).status).toBe(413);
    const asJson = { method: 'POST', body: '{"decision":"approved"}', headers: { 'content-type': 'application/json' } };
    expect((await open(link, asJson)).status).toBe(415);
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://elsewhere.example' },
      { origin: 'nonsense' },
    ];
    for (const headers of foreign) {
      expect((await post(link, { decision: 'approved' }, headers)).status).toBe(403);
    }
    expect((await read(id)).status).toBe('waiting_for_input');
    // As browsers send it from a page without a referrer.
    const own = { 'sec-fetch-site': 'same-origin', origin: 'null' };
    expect((await post(link, { decision: 'approved' }, own)).status).toBe(200);
    await end(id, 'success');
  });

  it('202 while Redis is down: it is recorded, and the run continues later', async () => {
    const { id, link } = await waitingRun();
    await instance.redis.kill();
    const pending = await post(link, { decision: 'approved', comment: 'yes' });
    expect([pending.status, pending.text.includes('Your answer is recorded.')]).toEqual([202, true]);
    expect((await post(link, { decision: 'rejected' })).status).toBe(409);
    await instance.redis.restart();
    await until(
      async () => ((await post(link, { decision: 'approved', comment: 'yes' })).status === 200 ? true : undefined),
      'the second try',
    );
    await end(id, 'success');
    expect((await read(id)).data.approvals).toMatchObject([{ decision: 'approved', comment: 'yes' }]);
    expect(await instance.db.auditEntry.count({ where: { resourceId: id } })).toBe(1);
  });

  it('503 while PostgreSQL is unavailable', async () => {
    const proxy = await startTcpProxy(instance.databaseUrl);
    const cut = await startGateway({ ...instance, databaseUrl: proxy.url });
    const { id, link } = await waitingRun();
    const there = cut.url + new URL(link).pathname;
    expect((await open(there)).status).toBe(200);
    await proxy.cut();
    for (const page of [await open(there), await post(there, { decision: 'approved' })]) {
      expect([page.status, page.headers.get('retry-after')]).toEqual([503, '2']);
      expect(page.text).toContain('Try again later');
    }
    await proxy.restore();
    expect((await read(id)).status).toBe('waiting_for_input');
  });

  it('comes by mail or another node, and answering it continues that run', async () => {
    const notify = {
      id: 'notify',
      type: 'http',
      parameters: { method: 'POST', url: receiverUrl, body: { text: 'Please decide: {{ $links["ask"] }}' } },
    };
    const workflowId = await createWorkflow(instance, {
      nodes: [start, notify, approval(), paid],
      edges: [
        { source: 'start', target: 'notify' },
        { source: 'notify', target: 'ask' },
        { source: 'ask', sourceHandle: 'approved', target: 'paid' },
      ],
    });
    const { executionId } = (await call('POST', `/api/workflows/${workflowId}/execute`)).body;
    await end(executionId, 'waiting_for_input');
    const [, link = ''] = /Please decide: (http[^"]+)/.exec(received.at(-1)?.body ?? '') ?? [];
    expect(linkFor(executionId, 'ask')).toBe(link);
    expect((await post(link, { decision: 'approved' })).status).toBe(200);
    await end(executionId, 'success');
  });
});

describe('links in a loop', () => {
  it('answer one iteration each', async () => {
    const workflowId = await createWorkflow(instance, {
      nodes: [
        start,
        { id: 'each', type: 'loop', parameters: { items: ['a', 'b', 'c'], concurrency: 3 } },
        mail,
        approval({ message: '{{ $loop.item }}?' }),
      ],
      edges: [
        { source: 'start', target: 'each' },
        { source: 'each', sourceHandle: 'body', target: 'mail' },
        { source: 'mail', target: 'ask' },
      ],
    });
    const { executionId } = (await call('POST', `/api/workflows/${workflowId}/execute`)).body;
    await end(executionId, 'waiting_for_input');
    const links = await Promise.all(
      [0, 1, 2].map(async (iteration) => {
        const path = `/api/executions/${executionId}/nodes/mail/output?iteration=${iteration}` as const;
        return linkIn((await call('GET', path)).body.output);
      }),
    );
    expect((await open(links[1]!)).text).toContain('b?');
    expect((await post(links[1]!, { decision: 'rejected' })).status).toBe(200);
    expect((await post(links[1]!, { decision: 'approved' })).status).toBe(409);
    expect((await open(links[0]!)).text).toContain('<form');
    expect((await open(linkFor(executionId, 'ask'))).text).toContain('Not waiting yet');
    for (const link of [links[0]!, links[2]!]) expect((await post(link, { decision: 'approved' })).status).toBe(200);
    await end(executionId, 'success');
    const decisions = (await read(executionId)).data.approvals.map(({ iteration, decision }) => [iteration, decision]);
    expect(decisions).toEqual([
      ['1', 'rejected'],
      ['0', 'approved'],
      ['2', 'approved'],
    ]);
  });
});

describe('a link that is not valid', () => {
  it('is the same 404 whatever is wrong with it, and changes nothing', async () => {
    const { id, link } = await waitingRun();
    const token = link.slice(link.lastIndexOf('/') + 1);
    const bytes = Buffer.from(token, 'base64url');
    const otherNode = Buffer.concat([bytes.subarray(0, 20), Buffer.from(`${id}:mail`)]).toString('base64url');
    const gone = linkFor('01a1fb35-e8df-7352-8660-75a19a555603', 'ask');
    const paths = ['x', '%ff', token.slice(0, -1), `${token}A`, token.toLowerCase(), otherNode, 'A'.repeat(5_000)];
    const pages = await Promise.all([
      ...[...paths.map((path) => `${gateway.url}/answer/${path}`), gone].flatMap((address) => [
        open(address),
        post(address, { decision: 'approved' }),
      ]),
    ]);
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([404]));
    expect(new Set(pages.map(({ text }) => text)).size).toBe(1);
    for (const path of ['/answer', '/answer/', `/answer/${token}/`, `/answer/${token}/x`]) {
      expect((await open(`${gateway.url}${path}`, { headers: { accept: 'text/html' } })).status).toBe(404);
    }
    expect((await open(`${gateway.url}/Answer/${token}`)).status).toBe(404);
    expect((await read(id)).status).toBe('waiting_for_input');
  });

  it('404: answers nothing where the author has not allowed links, although it is signed', async () => {
    const workflowId = await createWorkflow(instance, {
      nodes: [start, { id: 'ask', type: 'approval', parameters: { message: 'Pay?' } }],
      edges: [{ source: 'start', target: 'ask' }],
    });
    const { executionId } = (await call('POST', `/api/workflows/${workflowId}/execute`)).body;
    await end(executionId, 'waiting_for_input');
    const link = linkFor(executionId, 'ask');
    const unknown = await open(`${gateway.url}/answer/x`);
    for (const page of [await open(link), await post(link, { decision: 'approved' })]) {
      expect([page.status, page.text]).toEqual([404, unknown.text]);
    }
    expect((await read(executionId)).status).toBe('waiting_for_input');
  });

  it('is still valid after the encryption key was changed, while the former one is known', async () => {
    const { id, link } = await waitingRun();
    const { pathname } = new URL(link);
    const present = { ENCRYPTION_KEY: 'a new key for tests, of thirty-two characters' };
    const former = 'a key for tests, thirty-two characters or more';
    const without = await startGateway(instance, { env: present });
    expect((await open(without.url + pathname)).status).toBe(404);
    const rotated = await startGateway(instance, { env: { ...present, ENCRYPTION_KEYS_OLD: former } });
    expect((await post(rotated.url + pathname, { decision: 'approved' })).status).toBe(200);
    await end(id, 'success');
  });
});

describe('a link to a human task', () => {
  const schema = {
    type: 'object',
    required: ['name', 'count', 'size'],
    properties: {
      name: { type: 'string', title: 'Your name', maxLength: 20 },
      count: { type: 'integer', minimum: 1, description: 'How many' },
      size: { enum: ['S', 'M', 3] },
      note: { type: 'string', maxLength: 2_000, default: 'none' },
      express: { type: 'boolean', default: true },
      address: { type: 'string', contentMediaType: 'text/plain' },
    },
    additionalProperties: false,
  };

  it('has an input for each field, checks what comes, and continues with it', async () => {
    const { id, link } = await waitingRun(human({ schema }), 'waiting_for_human');
    const { text } = await open(link);
    expect(text).toContain('Your name');
    expect(text).toMatch(/<textarea[^>]*name="field-3"[^>]*>\nnone<\/textarea>/);
    expect(text).toMatch(/<textarea[^>]*name="field-5"/);
    const filled = { 'field-0': 'Ada <b>', 'field-1': 'many', 'field-2': '"M"', 'field-3': '', 'field-4': 'on' };
    const wrong = await post(link, filled);
    expect([wrong.status, wrong.text.includes('value="Ada &lt;b&gt;"')]).toEqual([400, true]);
    expect(wrong.text).toMatch(/<li>count: /);
    expect((await post(link, { 'field-0': 'Ada', 'field-1': '0', 'field-2': 'X' })).status).toBe(400);
    expect((await read(id)).status).toBe('waiting_for_human');

    const right = await post(link, { ...filled, 'field-1': '2', 'field-2': '3' });
    expect([right.status, right.text.includes('Answered through this link')]).toEqual([200, true]);
    expect(right.text).not.toContain('Ada');
    await end(id, 'success');
    const decided = { name: 'Ada <b>', count: 2, size: 3, express: true };
    expect((await read(id)).progress.paid?.output).toEqual({ decided });
    expect((await post(link, { ...filled, 'field-1': '2', 'field-2': '3' })).status).toBe(200);
    expect((await post(link, { ...filled, 'field-1': '4', 'field-2': '3' })).status).toBe(409);
    expect(await instance.db.auditEntry.findMany({ where: { resourceId: id } })).toMatchObject([
      { action: 'execution.complete', userId: null, details: { nodeId: 'ask', by: 'link' } },
    ]);
  });

  it('takes files of the types, sizes and number that its schema allows, and leaves none of others behind', async () => {
    const scan = { type: 'object', title: 'Your scan', file: { accept: ['.txt', 'image/*'], maxBytes: 10 } };
    const more = { type: 'array', items: { file: { maxBytes: 200_000 } }, maxItems: 2 };
    const fields = { type: 'object', required: ['scan'], properties: { scan, more, note: { type: 'string' } } };
    const { id, link } = await waitingRun(human({ schema: fields }), 'waiting_for_human');
    const { text } = await open(link);
    expect(text).toContain('<form method="post" enctype="multipart/form-data">');
    expect(text).toMatch(/<input\s+type="file"[^>]*name="field-0"[^>]* accept=".txt,image\/\*" required/);
    expect(text).toContain('Up to 2 files, of at most 200,000 bytes each.');
    const large = 'x'.repeat(150_000);
    const send = (files: readonly (readonly [string, string, string])[]) => {
      const form = new FormData();
      form.append('field-2', 'a note');
      for (const [input, name, content] of files) form.append(input, new Blob([content]), name);
      return open(link, { method: 'POST', body: form });
    };
    const refused = [
      [
        await send([
          ['field-0', 'a.exe', 'hostile'],
          ['field-1', 'b', large],
        ]),
        400,
        'Your scan: must be a file of the type .txt, image/*',
      ],
      [await send([['field-0', 'a.txt', 'far too long']]), 413, 'Your scan: must have at most 10 bytes'],
      [
        await send([['field-0', 'a.txt', 'fine'], ...['b', 'c', 'd'].map((name) => ['field-1', name, name] as const)]),
        400,
        'more: must NOT have more than 2 files',
      ],
      [await send([['field-1', 'b', large]]), 400, 'Your scan: is required'],
      [await post(link, { 'field-0': '{"file":{}}' }), 400, 'Your scan: is required'],
    ] as const;
    for (const [page, status, issue] of refused) {
      expect([page.status, page.text]).toEqual([status, expect.stringContaining(issue)]);
      expect(page.text).toContain('Choose the files again.');
    }
    expect((await open(link, { method: 'POST', body: new Blob(['x'], { type: 'multipart/form-data' }) })).status).toBe(
      400,
    );
    expect((await read(id)).status).toBe('waiting_for_human');
    expect(await instance.db.$queryRaw`SELECT id FROM files WHERE expires_at > now()`).toEqual([]);

    const { workflowId } = await read(id);
    const uploaded = await fetch(`${gateway.url}/api/workflows/${workflowId}/files?name=a.txt`, {
      method: 'POST',
      headers: { 'x-api-key': instance.key, 'content-type': 'text/plain' },
      body: large,
    });
    const { file } = (await uploaded.json()) as FileValue;
    const claims = [{ bytes: 9 }, { bytes: 9, sha256: '0'.repeat(64) }, { bytes: 9, id }];
    for (const claim of claims) {
      const claimed = { scan: { file: { ...file, ...claim } } };
      expect(await call('POST', `/api/executions/${id}/nodes/ask/complete`, { data: claimed })).toMatchObject({
        status: 400,
        body: { details: [{ path: 'data.scan', message: expect.stringContaining('a file of the workspace') }] },
      });
    }

    const answer = [
      ['field-0', 'a.txt', 'scanned'],
      ['field-1', 'b', large],
      ['field-1', '', ''],
    ] as const;
    for (const _ of ['first', 'again']) expect((await send(answer)).status).toBe(200);
    await end(id, 'success');
    const value = (name: string, bytes: number) => ({ file: expect.objectContaining({ name, bytes }) });
    const { decided } = (await read(id)).progress.paid!.output as { decided: { scan: FileValue } };
    expect(decided).toEqual({ scan: value('a.txt', 7), more: [value('b', 150_000)], note: 'a note' });
    const path = `${gateway.url}/api/executions/${id}/files/${decided.scan.file.id}`;
    const download = await fetch(path, { headers: { 'x-api-key': instance.key } });
    expect(await download.text()).toBe('scanned');
  });

  it('says of a form that plain inputs cannot show that it is filled in in the console', async () => {
    const schemas: JsonObject[] = [
      { type: 'object', properties: { lines: { type: 'array', items: { type: 'string' } } } },
      { type: 'object', properties: { address: { type: 'object' } } },
      { type: 'object', properties: {}, required: ['hidden'] },
      { type: 'string' },
      { anyOf: [{ type: 'object' }] },
    ];
    for (const nested of schemas) {
      const { id, link } = await waitingRun(human({ schema: nested }), 'waiting_for_human');
      const { text } = await open(link);
      expect(text).toContain(`href="/w/${instance.workspaceId}/runs/${id}"`);
      expect(text).not.toContain('<form');
      expect((await post(link, {})).status).toBe(400);
      expect((await read(id)).status).toBe('waiting_for_human');
    }
  });
});

describe('a link to a file', () => {
  it('downloads it without a key, as an attachment, until it expires, the data is deleted, or a bit is changed', async () => {
    const workflowId = await createWorkflow(instance, {
      nodes: [start, paid],
      edges: [{ source: 'start', target: 'paid' }],
    });
    const headers = { 'x-api-key': instance.key, 'content-type': 'text/html' };
    const upload = await fetch(`${gateway.url}/api/workflows/${workflowId}/files`, {
      method: 'POST',
      headers,
      body: '<b>9 EUR</b>',
    });
    const scan = (await upload.json()) as FileValue;
    const { executionId } = (await call('POST', `/api/workflows/${workflowId}/execute`, { input: { scan } })).body;
    await end(executionId, 'success');
    const path = `/api/executions/${executionId}/files/${scan.file.id}/link` as const;
    const { status, body } = await call('POST', path, { name: '../scän.html', expiresInSeconds: 60 });
    const { pathname } = new URL(body.url);
    expect([status, pathname.startsWith('/files/')]).toEqual([201, true]);
    used.add(pathname.slice('/files/'.length));
    const link = gateway.url + pathname;
    const page = await open(link, { headers: { range: 'bytes=0-2' } });
    expect([page.status, page.text]).toEqual([206, '<b>']);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="sc_n.html"; filename*=UTF-8''sc%C3%A4n.html`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
    });
    const sign = (part: object) =>
      gateway.services.links.fileTokens.sign({
        ...{ executionId, fileId: scan.file.id, expiresAt: new Date(body.expiresAt), name: '', ...part },
      });
    const other = '01a1fb35-e8df-7352-8660-75a19a555603';
    const invalid = [{ expiresAt: new Date() }, { executionId: other }, { fileId: other }].map(sign);
    for (const token of [...invalid, sign({}).slice(1), 'x'])
      expect((await open(`${gateway.url}/files/${token}`)).status).toBe(404);
    expect((await open(link, { method: 'POST' })).status).toBe(405);
    expect((await call('POST', path, { expiresInSeconds: 2_592_001 })).status).toBe(400);
    expect(
      await instance.db.auditEntry.count({ where: { action: 'execution.linkFile', resourceId: executionId } }),
    ).toBe(1);
    await call('POST', `/api/executions/${executionId}/redact`);
    expect((await open(link)).status).toBe(404);
  });
});

describe('a page', () => {
  const evil = `"><script>alert(1)</script><img src=x onerror='a'>&amp;`;

  it('shows text of authors and of whoever answers as text, and may run no script', async () => {
    const asked = await waitingRun(approval({ message: evil, choices: ['approved', evil] }));
    const fields = { type: 'object', properties: { [evil]: { type: 'string', title: evil, description: evil } } };
    const filled = await waitingRun(human({ title: evil, schema: fields }), 'waiting_for_human');
    const pages = [
      await open(asked.link),
      await post(asked.link, { decision: 'no', comment: evil }),
      await post(asked.link, { decision: evil, comment: evil }),
      await open(asked.link),
      await open(filled.link),
      await post(filled.link, { 'field-0': evil }),
    ];
    expect(pages.map(({ status }) => status)).toEqual([200, 400, 200, 200, 200, 200]);
    for (const { text, headers } of pages) {
      expect(text).toContain('&quot;&gt;&lt;script&gt;alert(1)');
      expect(text).not.toMatch(/<script|<img|onerror='/);
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      );
    }
  });

  it('is kept by no cache, sends no referrer, is not indexed, sets no cookie, and fits a phone', async () => {
    const { link } = await waitingRun();
    for (const address of [link, `${gateway.url}/answer/x`]) {
      const { headers, text } = await open(address);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-robots-tag')).toBe('noindex');
      expect(headers.get('set-cookie')).toBeNull();
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1" />');
    }
  });

  it('429 with Retry-After for an address that asks too often, and for no other', async () => {
    const proxied = await startGateway(instance, { env: { TRUSTED_PROXIES: 'loopback' } });
    const ask = (address: string) => open(`${proxied.url}/answer/x`, { headers: { 'x-forwarded-for': address } });
    const pages = await Promise.all(Array.from({ length: 301 }, () => ask('203.0.113.7')));
    const refused = pages.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(1);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await ask('203.0.113.8')).status).toBe(404);
  });
});

describe('tokens', () => {
  it('are in no log', () => {
    expect(used.size).toBeGreaterThan(15);
    const lines = gateway.log.filter((line) => /\/(answer|files)\//i.test(line));
    expect(lines.length).toBeGreaterThan(50);
    for (const token of used) {
      // Also without a part of it.
      const tail = token.slice(10, 40);
      expect(gateway.log.filter((line) => line.includes(tail))).toEqual([]);
    }
  });
});

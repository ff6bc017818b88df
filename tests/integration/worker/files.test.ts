import { type FileValue, isJsonObject, type JsonValue, storedFileOf } from '@deckhand/contracts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { edges } from '../../harness/engine.ts';
import {
  callWithKey,
  createHook,
  createWorkflow,
  type Instance,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';
import { serve } from '../../harness/serve.ts';

const PDF = randomBytes(3_000_000);

let instance: Instance;
let source: string;
const received: Buffer[] = [];

beforeAll(async () => {
  instance = await startInstance();
  await startTestWorker(instance);
  ({ url: source } = await serve((request, response) => {
    if (request.method === 'PUT') {
      void buffer(request).then((body) => {
        received.push(body);
        response.end('{}');
      });
    } else response.writeHead(200, { 'content-type': 'application/pdf' }).end(PDF);
  }));
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const start = { id: 'start', type: 'trigger.manual' };

async function run(workflowId: string, input: object = {}): Promise<string> {
  const id = (await call('POST', `/api/workflows/${workflowId}/execute`, { input })).body.executionId;
  const ended = await until(async () => {
    const { body } = await call('GET', `/api/executions/${id}`);
    return ['success', 'failed'].includes(body.status) ? body : undefined;
  }, 'the end of the run');
  expect(ended).toMatchObject({ status: 'success', error: null });
  return id;
}
async function outputOf(id: string, node: string): Promise<JsonValue> {
  return (await call('GET', `/api/executions/${id}/nodes/${node}/output`)).body.output ?? null;
}
async function download(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${instance.gateway.url}${path}`, {
    headers: { 'x-api-key': instance.key, ...headers },
  });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

it('pass from a response through loops and sub-workflows to a request, and no byte is copied', async () => {
  const child = await createWorkflow(instance, {
    nodes: [
      start,
      { id: 'put', type: 'http', parameters: { method: 'PUT', url: source, body: '{{ $trigger.scan }}' } },
    ],
    edges: edges('start -> put'),
  });
  const parent = await createWorkflow(instance, {
    nodes: [
      start,
      { id: 'get', type: 'http', parameters: { url: `${source}/scan.pdf`, responseType: 'file' } },
      { id: 'each', type: 'loop', parameters: { items: [1, 2] } },
      {
        id: 'send',
        type: 'workflow',
        parameters: { workflowId: child, input: { scan: '{{ $nodes.get.output.body }}' } },
      },
    ],
    edges: edges('start -> get', 'get -> each', 'each.body -> send'),
  });
  const id = await run(parent);
  expect(received.map((body) => body.equals(PDF))).toEqual([true, true]);
  const output = await outputOf(id, 'get');
  const file = storedFileOf(isJsonObject(output) ? output.body : undefined);
  expect(file).toMatchObject({ name: 'scan.pdf', contentType: 'application/pdf', bytes: PDF.length });
  expect(await instance.db.file.findMany()).toMatchObject([{ id: file?.id, expiresAt: null }]);
  const namedBy = (await instance.db.executionFile.findMany({ where: { fileId: file?.id ?? '' } })).map(
    (row) => row.executionId,
  );
  const children = await instance.db.execution.findMany({ where: { parentExecutionId: id } });
  expect(namedBy.toSorted()).toEqual([id, ...children.map((row) => row.id)].toSorted());

  const path = `/api/executions/${id}/files/${file?.id}`;
  const whole = await download(`${path}?name=${encodeURIComponent('scän.pdf')}`);
  expect([whole.status, whole.bytes.equals(PDF)]).toEqual([200, true]);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="sc_n.pdf"; filename*=UTF-8''sc%C3%A4n.pdf`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
  });
  const part = await download(path, { range: 'bytes=1048570-1048580' });
  expect([
    part.status,
    part.headers.get('content-range'),
    part.bytes.equals(PDF.subarray(1_048_570, 1_048_581)),
  ]).toEqual([206, `bytes 1048570-1048580/${PDF.length}`, true]);
  expect((await download(path, { range: `bytes=${PDF.length}-` })).status).toBe(416);
});

it('are uploaded, and used as a part of the input of a run', async () => {
  const workflowId = await createWorkflow(instance, {
    nodes: [
      start,
      { id: 'put', type: 'http', parameters: { method: 'PUT', url: source, body: '{{ $trigger.scan }}' } },
    ],
    edges: edges('start -> put'),
  });
  const content = randomBytes(2_000_000);
  const upload = (body: Buffer, headers: Record<string, string> = {}) =>
    fetch(`${instance.gateway.url}/api/workflows/${workflowId}/files?name=a.bin`, {
      method: 'POST',
      headers: { 'x-api-key': instance.key, 'content-type': 'image/png', ...headers },
      body: new Uint8Array(body),
    });
  const response = await upload(content);
  const value = (await response.json()) as FileValue;
  expect([response.status, value.file]).toMatchObject([
    201,
    { name: 'a.bin', contentType: 'image/png', bytes: 2_000_000 },
  ]);
  const id = await run(workflowId, { scan: value });
  expect(received.at(-1)?.equals(content)).toBe(true);
  expect(await instance.db.executionFile.count({ where: { executionId: id, fileId: value.file.id } })).toBe(1);
  expect((await upload(content, { 'content-encoding': 'gzip' })).status).toBe(415);
  await instance.db.workspace.update({ where: { id: instance.workspaceId }, data: { storageQuotaBytes: 1_000_000 } });
  const refused = await upload(randomBytes(1_500_000));
  await instance.db.workspace.update({ where: { id: instance.workspaceId }, data: { storageQuotaBytes: null } });
  expect([refused.status, await refused.json()]).toMatchObject([413, { code: 'workspace_over_quota' }]);
});

it('are responses to webhooks as their bytes', async () => {
  const get = { id: 'get', type: 'http', parameters: { url: `${source}/scan.pdf`, responseType: 'file' } };
  const end = { id: 'end', type: 'terminal', parameters: { body: '{{ $input.body }}', headers: { 'x-kind': 'scan' } } };
  const hook = await createHook(instance, { responseMode: 'onCompletion', method: 'GET' }, { nodes: [get, end] });
  const { status, headers, bytes } = await download(hook.path, { range: 'bytes=0-2999998' });
  expect([status, bytes.equals(PDF.subarray(0, -1))]).toEqual([206, true]);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': 'attachment; filename="scan.pdf"',
    'x-kind': 'scan',
  });
  const reply = { id: 'reply', type: 'respond', parameters: { body: '{{ $input.body }}', statusCode: 201 } };
  const early = await createHook(instance, { responseMode: 'onCompletion' }, { nodes: [get, reply] });
  const response = await fetch(`${instance.gateway.url}${early.path}`, { method: 'POST' });
  expect([response.status, Buffer.from(await response.arrayBuffer()).equals(PDF)]).toEqual([201, true]);
});

it('of a run are found by nobody else, and by nobody once its data is deleted', async () => {
  const workflowId = await createWorkflow(instance, { nodes: [start], edges: [] });
  const [first, other] = [await run(workflowId), await run(workflowId)];
  const row = await instance.db.file.findFirstOrThrow();
  await instance.db.executionFile.create({ data: { executionId: first, fileId: row.id } });
  const path = (id: string) => `/api/executions/${id}/files/${row.id}`;
  expect((await download(path(first))).status).toBe(200);
  expect((await download(path(other))).status).toBe(404);
  const stranger = await instance.db.user.create({
    data: { id: first, email: 'x@example.com', name: 'X', passwordHash: '' },
  });
  await instance.db.membership.updateMany({ data: { userId: stranger.id } });
  expect((await download(path(first))).status).toBe(404);
});

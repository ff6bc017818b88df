import { listRoutes } from '@deckhand/api';
import { createFolder, reserveRequest } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TRACKER } from '../../harness/connectors.ts';
import {
  addKey,
  addPerson,
  type ApiResponse,
  chain,
  createHook,
  createWorkflow,
  type Gateway,
  type Instance,
  startGateway,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let replicas: readonly [Gateway, Gateway];
let ownerId: string;

beforeAll(async () => {
  instance = await startInstance();
  replicas = [instance.gateway, await startGateway(instance)];
  ownerId = (await instance.db.user.findFirstOrThrow()).id;
});
afterAll(stopAll);

const post = (path: string, key: string, body?: unknown, { as = instance.session, replica = 0 } = {}) =>
  (replicas[replica] ?? replicas[0]).call('POST', path, {
    as,
    headers: { 'idempotency-key': key },
    ...(body === undefined ? {} : { body }),
  });
const isReplay = ({ headers }: ApiResponse) => headers.get('idempotency-replayed') === 'true';
const folder = (name: string) => ({ workspaceId: instance.workspaceId, name });
const foldersCalled = (name: string) => instance.db.folder.count({ where: { name } });
const requestOf = (key: string) => ({ where: { key } });

describe('an Idempotency-Key', () => {
  it('is taken by every POST, but for keys, sign-in, invites and what returns a secret', () => {
    const without = listRoutes(instance.gateway.services)
      .filter(({ method, operation }) => method === 'POST' && operation.takesIdempotencyKey !== true)
      .map(({ path }) => path);
    const isExempt = [
      /^\/api\/(auth|api-keys|workspaces\/:id\/(invites|callback-secrets)|event-endpoints(\/:id\/rotate-secret)?$)/,
      // Doing it again changes nothing.
      /^\/api\/users\/:id\/(de)?activate$/,
      // Choices are read, and a test changes nothing but the result of the last one.
      /^\/api\/(connectors\/options|credentials\/:id\/test)$/,
      // An attempt to connect counts once, and its start returns the secret state.
      /^\/api\/credentials\/(callback|:id\/connect(\/poll)?)$/,
      // Equal bytes are one file, however often they are uploaded.
      /^\/api\/workflows\/:id\/files$/,
      // What it returns opens a file for anybody.
      /^\/api\/executions\/:id\/files\/:fileId\/link$/,
    ];
    expect(without.filter((path) => !isExempt.some((pattern) => pattern.test(path)))).toEqual([]);
  });

  it('makes each POST do its work once, and replays its response', async () => {
    const { workspaceId } = instance;
    const worker = await startTestWorker(instance);
    const definition = chain({ id: 'ask', type: 'approval', parameters: { message: 'Well?' } });
    const workflowId = await createWorkflow(instance, definition);
    const hook = await createHook(instance, {});
    const person = await addPerson(instance);
    const started = await post(`/api/workflows/${workflowId}/execute`, 'run', {});
    const run = `/api/executions/${started.body.executionId}` as const;
    const status = async () => (await instance.gateway.call('GET', run, { as: instance.session })).body.status;
    await until(async () => (await status()) === 'waiting_for_input', 'waiting_for_input');
    const decision = { executionId: started.body.executionId, nodeId: 'ask', approved: true };
    const requests: [string, unknown][] = [
      ['/api/workspaces', { name: 'Once' }],
      [`/api/workspaces/${workspaceId}/members`, { email: person.email, role: 'viewer' }],
      ['/api/folders', folder('Once')],
      ['/api/variables', { workspaceId, name: 'once', value: '1' }],
      ['/api/connectors', { workspaceId, ...TRACKER }],
      ['/api/credentials', { workspaceId, name: 'Once', type: 'bearer', secret: { token: 'a' } }],
      ['/api/workflows', { workspaceId, name: 'Once', definition }],
      [`/api/workflows/${workflowId}/versions`, { definition }],
      [`/api/workflows/${hook.workflowId}/webhooks/hook/url`, {}],
      [`/api/workflows/${hook.workflowId}/webhooks/hook/test`, undefined],
      [`${run}/pause`, undefined],
      [`${run}/resume`, undefined],
      ['/api/approvals/submit', decision],
    ];
    for (const [path, body] of requests) {
      const first = await post(path, 'once', body);
      expect([path, first.status < 300, isReplay(first)]).toEqual([path, true, false]);
      const entries = await instance.db.auditEntry.count();
      const again = await post(path, 'once', body, { replica: 1 });
      expect([path, again.status, again.body, isReplay(again)]).toEqual([path, first.status, first.body, true]);
      expect([path, await instance.db.auditEntry.count()]).toEqual([path, entries]);
    }
    await until(async () => (await status()) === 'success', 'success');
    const rerun = await post(`${run}/rerun`, 'again');
    const before = await instance.db.execution.count();
    const repeated = await post(`${run}/rerun`, 'again', {}, { replica: 1 });
    expect([repeated.status, repeated.body.executionId, isReplay(repeated)]).toEqual([
      202,
      rerun.body.executionId,
      true,
    ]);
    expect((await post(`${run}/rerun`, 'again', { fromNodeId: 'ask' })).body.code).toBe('CONFLICT');
    expect(await instance.db.execution.count()).toBe(before);
    const stop = `/api/executions/${rerun.body.executionId}/stop` as const;
    expect([(await post(stop, 'once')).status, isReplay(await post(stop, 'once'))]).toEqual([200, true]);
    await worker.stop();
  });

  it('lets one of many at once do the work', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => post('/api/folders', 'crowd', folder('Crowd'), { replica: index % 2 })),
    );
    expect(await foldersCalled('Crowd')).toBe(1);
    expect(answers.filter((answer) => answer.status === 201 && !isReplay(answer))).toHaveLength(1);
    for (const { status, headers, body } of answers.filter((answer) => answer.status !== 201)) {
      expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'SERVICE_UNAVAILABLE', '1']);
    }
  });

  it('409 with another body, and belongs to one caller, path and workspace', async () => {
    await post('/api/folders', 'mine', folder('Mine'));
    expect((await post('/api/folders', 'mine', folder('Another'))).body.code).toBe('CONFLICT');
    const editor = await addPerson(instance, 'editor');
    const bound = await addKey(instance, ownerId, { workspaceId: instance.workspaceId });
    for (const as of [editor.session, bound.key]) {
      const answer = await post('/api/folders', 'mine', folder('Mine'), { as });
      expect([answer.status, isReplay(answer)]).toEqual([201, false]);
    }
    const { key } = await addKey(instance, ownerId);
    expect(isReplay(await post('/api/folders', 'mine', folder('Mine'), { as: key }))).toBe(true);
    expect(await foldersCalled('Mine')).toBe(3);
  });

  it('409 with another If-Match', async () => {
    const body = { workspaceId: instance.workspaceId, slug: 'conditional', name: 'Conditional' };
    const first = await post('/api/workflows/apply', 'new-conditional', body);
    const apply = async (condition?: string) => {
      const headers = {
        'idempotency-key': 'conditional',
        ...(condition === undefined ? {} : { 'if-match': condition }),
      };
      const answer = await instance.gateway.call('POST', '/api/workflows/apply', {
        as: instance.session,
        body,
        headers,
      });
      return [answer.status, answer.body.code, isReplay(answer)];
    };
    const etag = first.headers.get('etag') ?? '';
    expect(await apply(etag)).toEqual([201, undefined, false]);
    expect(await apply(etag)).toEqual([201, undefined, true]);
    expect(await apply('"2026-01-01T00:00:00.000Z"')).toEqual([409, 'CONFLICT', false]);
    expect(await apply()).toEqual([409, 'CONFLICT', false]);
  });

  it('shows a response to nobody who has lost the workspace since', async () => {
    const editor = await addPerson(instance, 'editor');
    const ask = () => post('/api/folders', 'lost', folder('Lost'), { as: editor.session });
    expect((await ask()).status).toBe(201);
    await instance.db.membership.deleteMany({ where: { userId: editor.userId } });
    expect(await ask()).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  });

  it('that changed nothing shows its response to nobody who has lost the workspace since, either', async () => {
    const editor = await addPerson(instance, 'editor');
    const body = { workspaceId: instance.workspaceId, slug: 'unchanged', name: 'Unchanged' };
    await post('/api/workflows/apply', 'new', body);
    const ask = () =>
      instance.gateway.call('POST', '/api/workflows/apply', {
        as: editor.session,
        body,
        headers: { 'idempotency-key': 'unchanged', 'if-match': '*' },
      });
    expect([(await ask()).status, isReplay(await ask())]).toEqual([201, true]);
    await instance.db.membership.deleteMany({ where: { userId: editor.userId } });
    expect(await ask()).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  });

  it('stays unused after a refused request', async () => {
    expect((await post('/api/folders', 'free', { ...folder('Free'), parentId: instance.workspaceId })).status).toBe(
      400,
    );
    expect((await post('/api/folders', 'free', folder('Free'))).status).toBe(201);
  });

  it('is free again after a day, and forgotten by the workers', async () => {
    await post('/api/folders', 'daily', folder('Daily'));
    const data = { startedAt: new Date(Date.now() - 86_400_001) };
    await instance.db.idempotentRequest.updateMany({ ...requestOf('daily'), data });
    const next = await post('/api/folders', 'daily', folder('Daily'));
    expect([next.status, isReplay(next), await foldersCalled('Daily')]).toEqual([201, false, 2]);
    await instance.db.idempotentRequest.updateMany({ data });
    const worker = await startTestWorker(instance);
    await until(async () => (await instance.db.idempotentRequest.count()) === 0, 'no request');
    await worker.stop();
  });

  it('400 for what is not a key', async () => {
    expect((await post('/api/folders', 'a b', folder('Bad'))).body.details).toEqual([
      { path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' },
    ]);
  });
});

describe('a process that dies', () => {
  const reserve = async (key: string) => {
    await post('/api/folders', key, folder(key));
    const row = await instance.db.idempotentRequest.findFirstOrThrow(requestOf(key));
    await instance.db.folder.deleteMany({ where: { name: key } });
    await instance.db.idempotentRequest.delete({ where: { token: row.token } });
    const { caller, path, bodyHash } = row;
    const reservation = await reserveRequest(instance.db, { caller, path, key, bodyHash });
    if (reservation.kind !== 'reserved') throw new Error(reservation.kind);
    return reservation.token;
  };
  const age = (key: string) =>
    instance.db.idempotentRequest.updateMany({ ...requestOf(key), data: { startedAt: new Date(Date.now() - 21_000) } });
  const actor = () => ({ userId: ownerId, boundTo: null });

  it('after the work was done, is not carried out again: the response says that it is done', async () => {
    const requestToken = await reserve('Done');
    const { id } = await createFolder(instance.db, { ...actor(), requestToken }, folder('Done'));
    expect((await post('/api/folders', 'Done', folder('Done'))).headers.get('retry-after')).toBe('1');
    await age('Done');
    const answer = await post('/api/folders', 'Done', folder('Done'));
    expect([answer.status, answer.body.code, answer.body.details]).toEqual([409, 'CONFLICT', { resourceId: id }]);
    expect(await foldersCalled('Done')).toBe(1);
  });

  it('before that holds the key for a time, and cannot come back to do it then', async () => {
    const requestToken = await reserve('Late');
    expect((await post('/api/folders', 'Late', folder('Late'))).status).toBe(503);
    await age('Late');
    expect((await post('/api/folders', 'Late', folder('Late'))).status).toBe(201);
    await expect(createFolder(instance.db, { ...actor(), requestToken }, folder('Late'))).rejects.toThrow('taken');
    expect(await foldersCalled('Late')).toBe(1);
  });
});

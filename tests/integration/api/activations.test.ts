import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addPerson,
  chain,
  createWorkflow,
  type Gateway,
  type Instance,
  OWNER,
  startInstance,
  stopAll,
} from '../../harness/index.ts';

let instance: Instance;
let gateway: Gateway;

beforeAll(async () => {
  instance = await startInstance();
  ({ gateway } = instance);
});
afterAll(stopAll);

const simple = chain({ id: 'a', type: 'set', parameters: { fields: { n: 1 } } });

const change = (id: string, body: object, as = instance.session) =>
  gateway.call('PATCH', `/api/workflows/${id}`, { as, body });
const activations = (id: string, query = '', as = instance.session) =>
  gateway.call('GET', `/api/workflows/${id}/activations${query}`, { as });

async function save(id: string): Promise<string> {
  const path = `/api/workflows/${id}/versions` as const;
  const { body } = await gateway.call('POST', path, { as: instance.session, body: { definition: simple } });
  return body.workflowVersionId;
}

describe('the history of activations', () => {
  it('says who activated and deactivated which version, from which, with which key', async () => {
    const id = await createWorkflow(instance);
    const [first, second] = [await save(id), await save(id)];
    await change(id, { status: 'active', activeVersionId: first.toUpperCase() });
    const editor = await addPerson(instance, 'editor');
    await change(id, { activeVersionId: second }, editor.session);
    await change(id, { status: 'inactive' }, instance.key);
    const { status, body } = await activations(id, '?includeTotal=true');
    expect([status, body.total, body.hasMore, body.nextCursor]).toEqual([200, 3, false, null]);
    expect(body.data).toMatchObject([
      {
        status: 'inactive',
        previousStatus: 'active',
        activeVersionId: second,
        activeVersionNumber: 2,
        previousActiveVersionId: second,
        apiKeyId: expect.any(String),
        apiKeyName: 'test',
        byUser: { email: OWNER.email.toLowerCase(), name: OWNER.name },
      },
      {
        status: 'active',
        previousStatus: 'active',
        activeVersionId: second,
        previousActiveVersionId: first,
        previousActiveVersionNumber: 1,
        by: editor.userId,
        byUser: { id: editor.userId, email: editor.email },
        apiKeyId: null,
      },
      {
        status: 'active',
        previousStatus: 'draft',
        activeVersionId: first,
        activeVersionNumber: 1,
        previousActiveVersionId: null,
        previousActiveVersionNumber: null,
      },
    ]);
  });

  it('has no entries for changes of other fields, nor for refused ones', async () => {
    const id = await createWorkflow(instance);
    expect((await change(id, { status: 'active' })).status).toBe(409);
    const version = await save(id);
    await change(id, { status: 'active' });
    await change(id, { name: 'Renamed' });
    await change(id, { status: 'active', activeVersionId: version });
    expect((await activations(id)).body.data).toHaveLength(1);
  });

  it('has no gaps when people change the version at the same time', async () => {
    const id = await createWorkflow(instance);
    const versions = [await save(id), await save(id), await save(id)];
    await Promise.all([...versions, ...versions].map((activeVersionId) => change(id, { activeVersionId })));
    const { data } = (await activations(id)).body;
    expect(data.at(-1)!.previousActiveVersionId).toBeNull();
    expect(data.slice(0, -1).map((entry: Entry) => entry.previousActiveVersionId)).toEqual(
      data.slice(1).map((entry: Entry) => entry.activeVersionId),
    );
  });

  it('is paged by cursors; 400: with an offset, and for what is not a cursor', async () => {
    const id = await createWorkflow(instance);
    await save(id);
    for (const status of ['active', 'inactive', 'active']) await change(id, { status });
    const first = (await activations(id, '?limit=2')).body;
    expect(first.data.map((entry: Entry) => entry.status)).toEqual(['active', 'inactive']);
    const rest = (await activations(id, `?limit=2&cursor=${first.nextCursor}`)).body;
    expect([rest.data.length, rest.data[0]!.previousStatus, rest.nextCursor]).toEqual([1, 'draft', null]);
    const issues = await Promise.all(
      [`?offset=1&cursor=${first.nextCursor}`, '?cursor=x'].map((query) => activations(id, query)),
    );
    expect(issues.map(({ status, body }) => [status, body.details?.[0]?.path])).toEqual([
      [400, 'offset'],
      [400, 'cursor'],
    ]);
  });

  it('names people who have left the workspace', async () => {
    const id = await createWorkflow(instance);
    await save(id);
    const editor = await addPerson(instance, 'editor');
    await change(id, { status: 'active' }, editor.session);
    const path = `/api/workspaces/${instance.workspaceId}/members/${editor.userId}` as const;
    await gateway.call('DELETE', path, { as: instance.session });
    expect((await activations(id)).body.data[0]!.byUser).toMatchObject({ id: editor.userId, email: editor.email });
    expect((await activations(id, '', editor.session)).status).toBe(404);
  });
});

interface Entry {
  readonly status: string;
  readonly activeVersionId: string | null;
  readonly previousActiveVersionId: string | null;
}

describe('editing and publishing', () => {
  it('403: an author activates, deactivates and deletes nothing active; a publisher edits nothing', async () => {
    const [author, publisher] = [await addPerson(instance, 'author'), await addPerson(instance, 'publisher')];
    const id = await createWorkflow(instance);
    const [first, second] = [await save(id), await save(id)];
    const apply = (body: object) =>
      gateway.call('POST', '/api/workflows/apply', {
        as: author.session,
        body: { workspaceId: instance.workspaceId, name: 'N', definition: simple, ...body },
      });
    const remove = (as: string) => gateway.call('DELETE', `/api/workflows/${id}`, { as });
    const published = await change(id, { status: 'active', activeVersionId: first }, publisher.session);
    expect([published.status, published.body.activeVersionId]).toEqual([200, first]);

    const refused = [
      await change(id, { activeVersionId: second }, author.session),
      await change(id, { status: 'inactive' }, author.session),
      await change(id, { name: 'M', status: 'active' }, author.session),
      await apply({ slug: 'published', status: 'active' }),
      await change(id, { slug: 'other' }, author.session),
      await change(id, { errorWorkflowId: null }, author.session),
      await remove(author.session),
      await change(id, { name: 'M' }, publisher.session),
      await change(id, { name: 'M', status: 'inactive' }, publisher.session),
      await remove(publisher.session),
    ];
    expect(refused.map(({ status, body }) => [status, 'error' in body && body.error])).toEqual([
      ...Array.from({ length: 7 }, () => [403, 'This needs the permission workflows.publish']),
      ...Array.from({ length: 3 }, () => [403, 'This needs the permission workflows.edit']),
    ]);
    const { body } = await gateway.call('GET', `/api/workflows/${id}`, { as: author.session });
    expect(body).toMatchObject({ name: published.body.name, status: 'active', activeVersionId: first });

    expect((await change(id, { name: 'M' }, author.session)).status).toBe(200);
    expect((await apply({ slug: 'drafted', status: 'draft' })).status).toBe(201);
    expect((await change(id, { status: 'inactive' }, publisher.session)).status).toBe(200);
    expect((await remove(author.session)).status).toBe(204);
  });

  it('403: an operator starts whole runs only: mocks would stand for the decisions of people', async () => {
    const { session } = await addPerson(instance, 'operator');
    const id = await createWorkflow(instance, simple);
    const execute = (body: object) => gateway.call('POST', `/api/workflows/${id}/execute`, { as: session, body });
    const started = await execute({});
    expect(started.status).toBe(202);
    const rerun = (body: object) =>
      gateway.call('POST', `/api/executions/${started.body.executionId}/rerun`, { as: session, body });
    await gateway.call('POST', `/api/executions/${started.body.executionId}/stop`, { as: session });
    const parts = [{ mocks: { a: 1 } }, { untilNodeId: 'a' }];
    for (const part of parts) {
      const refused = [await execute(part), await rerun({ fromNodeId: 'a', untilNodeId: 'a', ...part })];
      expect(refused.map(({ status, body }) => [status, body.error])).toEqual([
        [403, 'This needs the permission runs.test'],
        [403, 'This needs the permission runs.test'],
      ]);
    }
  });

  it('403: an operator reruns from no node whose input mocks gave, nor does anybody with effects after a sandbox', async () => {
    const operator = await addPerson(instance, 'operator');
    const id = await createWorkflow(instance, simple);
    const ended = async (path: `/api/${string}`, body: object) => {
      const started = await gateway.call('POST', path, { as: instance.session, body });
      await gateway.call('POST', `/api/executions/${started.body.executionId}/stop`, { as: instance.session });
      return String(started.body.executionId);
    };
    const rerun = (run: string, body: object, as = operator.session) =>
      gateway.call('POST', `/api/executions/${run}/rerun`, { as, body });
    const mocked = await ended(`/api/workflows/${id}/execute`, { mocks: { a: 1 } });
    const part = { fromNodeId: 'a', untilNodeId: 'a' };
    const reused = await ended(`/api/executions/${mocked}/rerun`, part);
    await instance.db.execution.update({ where: { id: mocked }, data: { mocks: null } });
    const again = await ended(`/api/executions/${reused}/rerun`, part);
    for (const run of [reused, again]) {
      expect((await rerun(run, { fromNodeId: 'a' })).body.error).toBe('This needs the permission runs.test');
      expect((await rerun(run, {})).status).toBe(202);
    }

    const sandbox = await ended(`/api/workflows/${id}/execute`, { executionMode: 'sandbox' });
    const modes = [];
    for (const executionMode of ['test', 'debug', 'sandbox', undefined]) {
      const { status, body } = await rerun(sandbox, { ...part, executionMode }, instance.session);
      modes.push([status, body.details?.[0]?.path]);
    }
    expect(modes).toEqual([
      [400, 'fromNodeId'],
      [400, 'fromNodeId'],
      [202, undefined],
      [202, undefined],
    ]);
    expect((await rerun(sandbox, { executionMode: 'test' })).status).toBe(202);
  });

  it('403: an operator starts the latest and the active version alone', async () => {
    const [operator, author] = [await addPerson(instance, 'operator'), await addPerson(instance, 'author')];
    const id = await createWorkflow(instance);
    const [old, active, latest] = [await save(id), await save(id), await save(id)];
    await change(id, { status: 'active', activeVersionId: active });
    const execute = (version: string, as = operator.session) =>
      gateway.call('POST', `/api/workflows/${id}/execute`, { as, body: { version } });
    const statuses = [];
    for (const version of [latest, active, 'active', 'latest', old]) statuses.push((await execute(version)).status);
    expect(statuses).toEqual([202, 202, 202, 202, 403]);
    const { status, body } = await execute(old, author.session);
    expect(status).toBe(202);
    await gateway.call('POST', `/api/executions/${body.executionId}/stop`, { as: author.session });
    const reruns = [];
    for (const version of ['active', 'original']) {
      const path = `/api/executions/${body.executionId}/rerun` as const;
      reruns.push((await gateway.call('POST', path, { as: operator.session, body: { version } })).body.error);
    }
    const refused = 'A version that is neither the latest nor the active one needs the permission runs.test';
    expect(reruns).toEqual([undefined, refused]);
  });

  it('403: an operator stops and reruns many runs, and deletes none', async () => {
    const { session } = await addPerson(instance, 'operator');
    const start = (action: string) =>
      gateway.call('POST', '/api/bulk-actions', {
        as: session,
        body: { workspaceId: instance.workspaceId, action, filter: { tag: 'none' } },
      });
    const statuses = [];
    for (const action of ['stop', 'rerun', 'delete']) statuses.push((await start(action)).status);
    expect(statuses).toEqual([202, 202, 403]);
  });
});

import { EXECUTION_STATUSES } from '@deckhand/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  chain,
  createWorkflow,
  type Get,
  type Instance,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let workflowId: string;
/** Runs, the oldest first. */
let runs: Record<'done' | 'again' | 'child' | 'sandbox' | 'late' | 'waiting', string>;

const call: Get = (path) => instance.gateway.call('GET', path, { as: instance.key });
const list = (query = '') => call(`/api/executions?workspaceId=${instance.workspaceId}&sortOrder=asc&${query}`);
const MISSING = '01a1fb35-e8df-7352-8660-75a19a555603';

/** Returns the names of the runs in a response. */
function namesOf(body: { data: readonly { id?: string }[] }) {
  return body.data.map(({ id = '' }) => Object.entries(runs).find(([, other]) => other === id)?.[0] ?? id);
}
async function find(query: string): Promise<string[]> {
  const { status, body } = await list(query);
  expect([status, body.code]).toEqual([200, undefined]);
  return namesOf(body);
}

beforeAll(async () => {
  instance = await startInstance();
  workflowId = await createWorkflow(
    instance,
    chain({ id: 'a', type: 'set', parameters: { fields: { word: 'heron' } } }),
  );
  const other = await createWorkflow(instance, chain({ id: 'b', type: 'set', parameters: { fields: {} } }));
  await instance.db.workflow.update({ where: { id: workflowId }, data: { name: 'Orders, daily' } });
  await instance.db.workflow.update({ where: { id: other }, data: { name: 'Bills' } });
  const worker = await startTestWorker(instance);
  const execute = async (id: string): Promise<string> => {
    const { body } = await instance.gateway.call('POST', `/api/workflows/${id}/execute`, { as: instance.key });
    return body.executionId;
  };
  const done = await execute(workflowId);
  await until(async () => (await call(`/api/executions/${done}`)).body.status === 'success');
  await worker.stop();
  const rest = [workflowId, workflowId, workflowId, other, other];
  const [again = '', child = '', sandbox = '', late = '', waiting = ''] = await Promise.all(rest.map(execute));
  runs = { done, again, child, sandbox, late, waiting };
  const changes: Record<keyof typeof runs, object> = {
    done: {},
    again: { source: 'rerun', rerunOf: done, status: 'failed', finishedAt: new Date() },
    child: { source: 'workflow', parentExecutionId: done },
    sandbox: { executionMode: 'sandbox', source: 'editor' },
    late: { status: 'timeout', finishedAt: new Date() },
    waiting: { status: 'waiting_for_input', executionMode: 'test' },
  };
  for (const [index, [name, data]] of Object.entries(changes).entries()) {
    const id = Object.entries(runs).find(([other]) => other === name)?.[1] ?? '';
    await instance.db.execution.update({
      where: { id },
      data: { ...data, createdAt: new Date(index), startedAt: null },
    });
  }
});
afterAll(stopAll);

describe('runs in lists', () => {
  it('say what they stem from, and the name of their workflow', async () => {
    const { body } = await list();
    expect(body.data).toMatchObject([
      { source: 'api', executionMode: 'normal', rerunOf: null, parentExecutionId: null, workflowName: 'Orders, daily' },
      { source: 'rerun', rerunOf: runs.done, parentExecutionId: null, data: { rerunOf: runs.done } },
      { source: 'workflow', rerunOf: null, parentExecutionId: runs.done },
      { source: 'editor', executionMode: 'sandbox' },
      { status: 'timeout', workflowName: 'Bills' },
      { executionMode: 'test', workflowName: 'Bills' },
    ]);
    const { body: one } = await call(`/api/executions/${runs.child}`);
    expect(one).toMatchObject({ rerunOf: null, parentExecutionId: runs.done, workflowName: 'Orders, daily' });
  });

  it.each([
    ['status=failed,timeout', ['again', 'late']],
    ['status=failed&status=timeout', ['again', 'late']],
    ['status=failed&status=timeout,success', ['done', 'again', 'late']],
    ['status=failed', ['again']],
    [`status=${EXECUTION_STATUSES.join()}`, ['done', 'again', 'child', 'sandbox', 'late', 'waiting']],
    ['executionMode=sandbox', ['sandbox']],
    ['executionMode=sandbox,test', ['sandbox', 'waiting']],
    ['executionMode=normal', ['done', 'again', 'child', 'late']],
    ['source=rerun,workflow', ['again', 'child']],
    ['source=editor', ['sandbox']],
    ['source=api&status=timeout', ['late']],
    ['workflowName=Bills', ['late', 'waiting']],
    ['workflowName=Orders%2C+daily&source=rerun', ['again']],
    ['workflowName=bill', []],
    [`rerunOf=${MISSING}`, []],
    [`parentExecutionId=${MISSING}`, []],
  ])('are filtered by %s', async (query, names) => {
    expect(await find(query)).toEqual(names);
  });

  it('are filtered by the run that they repeat, and by the one that started them', async () => {
    expect(await find(`rerunOf=${runs.done}`)).toEqual(['again']);
    expect(await find(`parentExecutionId=${runs.done}`)).toEqual(['child']);
    const { body } = await call(`/api/workflows/${workflowId}/executions?parentExecutionId=${runs.done}`);
    expect(namesOf(body)).toEqual(['child']);
  });

  it.each(['status=failed,done', 'status=', 'executionMode=fast', 'source=x', 'rerunOf=x', 'parentExecutionId=1'])(
    '400 for %s, which is named',
    async (query) => {
      const { status, body } = await list(query);
      expect([status, body.details?.[0]?.path]).toEqual([400, query.split('=')[0]]);
    },
  );

  it('are exported by the same filters', async () => {
    const path =
      `/api/executions/export?workspaceId=${instance.workspaceId}&sortOrder=asc&source=rerun,workflow` as const;
    const { body } = await call(`${path}&format=json`);
    expect(namesOf({ data: body })).toEqual(['again', 'child']);
    const [header, , line] = (await call(`${path}&format=csv`)).text.split('\r\n');
    expect(header?.endsWith(',parentExecutionId,workflowName,tags,metadata')).toBe(true);
    expect(line?.endsWith(`,${runs.done},"Orders, daily",,`)).toBe(true);
  });
});

describe('latest=true', () => {
  const latest = (query: string) => call(`/api/workflows/${workflowId}/executions?latest=true&${query}`);

  it('is the last success among what the other filters find', async () => {
    expect(namesOf((await latest('source=api&search=heron')).body)).toEqual(['done']);
    expect(namesOf((await latest('source=webhook')).body)).toEqual([]);
    expect(namesOf((await latest('search=egret')).body)).toEqual([]);
  });

  it.each(['status=failed', 'status=success,failed', 'executionMode=sandbox'])('with %s is a 400', async (query) => {
    const { status, body } = await latest(query);
    expect([status, body.details?.[0]?.path]).toEqual([400, query.split('=')[0]]);
  });
});

describe('stopping many', () => {
  const stop = (body: object) =>
    instance.gateway.call('POST', '/api/executions/stop', {
      as: instance.key,
      body: { workspaceId: instance.workspaceId, ...body },
    });
  let pending: string;
  const statusOf = async (id: string): Promise<string> => (await call(`/api/executions/${id}`)).body.status;

  beforeEach(async () => {
    const { body } = await instance.gateway.call('POST', `/api/workflows/${workflowId}/execute`, {
      as: instance.key,
      body: { input: { bird: 'Bittern' } },
    });
    pending = body.executionId;
  });

  it.each([
    { search: 'bittern' },
    { status: ['pending', 'paused'], search: 'bittern' },
    { status: 'pending', source: ['api'], executionMode: 'normal', search: 'bittern' },
  ])('takes the filters of lists: %p', async (filter) => {
    expect(await stop(filter)).toMatchObject({ status: 200, body: { stopped: 1 } });
    expect(await statusOf(pending)).toBe('stopped');
  });

  it.each([
    { search: 'ostrich' },
    { errorContains: 'bittern' },
    { workflowName: 'Bills', search: 'bittern' },
    { source: 'schedule' },
    { executionMode: ['debug'] },
    { rerunOf: MISSING },
    { parentExecutionId: MISSING },
    { status: ['running'] },
  ])('stops nothing else: %p', async (filter) => {
    expect(await stop(filter)).toMatchObject({ status: 200, body: { stopped: 0 } });
    expect(await statusOf(pending)).toBe('pending');
  });

  it.each([{ status: [] }, { status: ['done'] }, { source: 1 }, { search: '' }])('400 for %p', async (filter) => {
    expect((await stop(filter)).status).toBe(400);
  });
});

describe('cursors', () => {
  /** Returns all pages of two runs, in order. */
  async function pages(query: string): Promise<string[][]> {
    const found: string[][] = [];
    for (let cursor = ''; found.length < 30;) {
      const { status, body } = await call(
        `/api/executions?workspaceId=${instance.workspaceId}&limit=2&${query}${cursor && `&cursor=${cursor}`}`,
      );
      expect([status, body.code, body.offset]).toEqual([200, undefined, 0]);
      found.push(body.data.map(({ id }) => id!));
      expect(body.nextCursor === null).toBe(!body.hasMore);
      if (body.nextCursor === null) break;
      cursor = body.nextCursor;
    }
    return found;
  }

  it.each(['startedAt', 'createdAt', 'finishedAt'])('lead through the whole list, sorted by %s', async (sortBy) => {
    for (const sortOrder of ['asc', 'desc']) {
      const { body } = await call(
        `/api/executions?workspaceId=${instance.workspaceId}&sortBy=${sortBy}&sortOrder=${sortOrder}`,
      );
      const all = body.data.map(({ id }) => id);
      const found = await pages(`sortBy=${sortBy}&sortOrder=${sortOrder}`);
      expect(found.flat()).toEqual(all);
      expect(found.slice(0, -1).every(({ length }) => length === 2)).toBe(true);
    }
  });

  it('lead through filtered lists, searches and the runs of one workflow', async () => {
    const names = (ids: string[]) => namesOf({ data: ids.map((id) => ({ id })) });
    expect(names((await pages('source=api,rerun,workflow&status=success,failed,timeout')).flat())).toEqual(
      expect.arrayContaining(['late', 'again', 'done']),
    );
    const { body: matches } = await list(`search=${workflowId}`);
    const oldestFirst = matches.data.map(({ id }) => id);
    expect((await pages(`search=${workflowId}`)).flat()).toEqual(oldestFirst.reverse());
    const path = `/api/workflows/${workflowId}/executions?limit=1&sortOrder=asc` as const;
    const { body: first } = await call(path);
    const { body: second } = await call(`${path}&cursor=${first.nextCursor}`);
    expect(namesOf({ data: [...first.data, ...second.data] })).toEqual(['done', 'again']);
  });

  it('do not repeat runs when others are added before them', async () => {
    const path = `/api/executions?workspaceId=${instance.workspaceId}&limit=2` as const;
    const { body: first } = await call(path);
    await instance.gateway.call('POST', `/api/workflows/${workflowId}/execute`, { as: instance.key });
    const { body: second } = await call(`${path}&cursor=${first.nextCursor}&includeTotal=true`);
    const ids = (body: typeof first) => body.data.map(({ id }) => id!);
    expect(ids(second).filter((id) => ids(first).includes(id))).toEqual([]);
    expect(second.total).toBe((await call(`${path}&includeTotal=true`)).body.total);
  });

  it('of another order, with an offset, or made up are a 400', async () => {
    const { nextCursor } = (await list('limit=1')).body;
    for (const [query, path] of [
      [`cursor=${nextCursor}&sortBy=createdAt`, 'cursor'],
      [`cursor=${nextCursor}&offset=1`, 'offset'],
      ['cursor=x', 'cursor'],
      [`cursor=${Buffer.from('["startedAt","asc","2026","x"]').toString('base64url')}`, 'cursor'],
    ]) {
      const { status, body } = await list(query);
      expect([query, status, body.details?.[0]?.path]).toEqual([query, 400, path]);
    }
  });
});

describe('fields', () => {
  it('are all that entries hold, in lists and with latest=true', async () => {
    const { body } = await list('fields=id,status&fields=workflowName&limit=1');
    expect(body.data).toEqual([{ id: runs.done, status: 'success', workflowName: 'Orders, daily' }]);
    expect((await list('fields=progress&limit=1')).body.data).toMatchObject([
      { progress: { a: { status: 'success' } } },
    ]);
    const latest = await call(`/api/workflows/${workflowId}/executions?latest=true&fields=id,result`);
    expect(latest.body.data).toEqual([{ id: runs.done, result: null }]);
  });

  it('that entries do not have are a 400', async () => {
    const { status, body } = await list('fields=id,colour');
    expect([status, body.details?.[0]?.path]).toEqual([400, 'fields']);
  });
});

describe('progress=counts', () => {
  it('is the number of nodes per status, those that have not begun included', async () => {
    const { body } = await list('progress=counts');
    const none = { pending: 0, running: 0, success: 0, failed: 0, skipped: 0, waiting: 0, stopped: 0 };
    const [done, again] = body.data;
    expect(done!.progress).toEqual({ ...none, success: 2 });
    expect(again!.progress).toEqual({ ...none, pending: 2 });
    const latest = await call(`/api/workflows/${workflowId}/executions?latest=true&progress=counts`);
    expect(latest.body.data[0]!.progress).toEqual({ ...none, success: 2 });
  });

  it('leaves progress=nodes, the default, without outputs', async () => {
    const [done] = (await list('progress=nodes')).body.data;
    expect(done).toMatchObject({ progress: { a: { status: 'success', outputOmitted: true } } });
    expect(done).toEqual((await list()).body.data[0]);
  });
});

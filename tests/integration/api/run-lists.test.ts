import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listRoutes } from '@deckhand/api';
import {
  addPerson,
  chain,
  createWorkflow,
  type Get,
  type Instance,
  OWNER,
  startInstance,
  stopAll,
} from '../../harness/index.ts';

let instance: Instance;
let workflowId: string;
/** Two runs that started, one that never did, and one stopped before it started. */
let runs: Record<'first' | 'waiting' | 'stopped' | 'last', string>;

const call: Get = (path) => instance.gateway.call('GET', path, { as: instance.key });
const query = (params: Readonly<Record<string, string>>): string => new URLSearchParams(params).toString();
const list = (params: Readonly<Record<string, string>> = {}) =>
  call(`/api/executions?${query({ workspaceId: instance.workspaceId, ...params })}`);
async function idsOf(params: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const { status, body } = await list(params);
  expect([status, body.code]).toEqual([200, undefined]);
  return body.data.map(({ id }) => id!);
}

async function execute(): Promise<string> {
  const { body } = await instance.gateway.call('POST', `/api/workflows/${workflowId}/execute`, {
    as: instance.key,
    body: { input: {} },
  });
  return body.executionId;
}

beforeAll(async () => {
  instance = await startInstance();
  workflowId = await createWorkflow(instance, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
  runs = { first: await execute(), waiting: await execute(), stopped: await execute(), last: await execute() };
  const at = (hour: number) => new Date(Date.UTC(2026, 2, 10, hour, 30));
  const change = (id: string, data: object) => instance.db.execution.update({ where: { id }, data });
  await change(runs.first, { status: 'success', createdAt: at(1), startedAt: at(2), finishedAt: at(3) });
  await change(runs.waiting, { createdAt: at(4) });
  await change(runs.stopped, { status: 'stopped', createdAt: at(6), finishedAt: at(7) });
  await change(runs.last, { status: 'failed', createdAt: at(5), startedAt: at(8), finishedAt: at(9) });
});
afterAll(stopAll);

describe('an unknown parameter', () => {
  it.each([
    '__proto__=1',
    '%5F_proto__=1',
    'startedAt[__proto__]=1',
    'constructor=1',
    'toString=1',
    'hasOwnProperty[x]=1',
  ])('is a 400 that names it, also one that every object has: %s', async (parameter) => {
    const path = `/api/executions?workspaceId=${instance.workspaceId}&${parameter}` as const;
    const { status, body } = await instance.gateway.call('GET', path, { as: instance.key });
    const [name = ''] = decodeURIComponent(parameter).split(/=|\[(?!__)/);
    expect([status, body.details]).toEqual([400, [{ path: name, message: 'is not a known parameter' }]]);
  });

  it.each(['limit=0x10', 'limit=1e2', 'limit=+5', 'limit=%2B5', 'offset=', 'wait=1e1'])(
    'is not a whole number: %s',
    async (parameter) => {
      const list = parameter.startsWith('wait')
        ? `/api/executions/01a1fb35-e8df-7352-8660-75a19a555603?${parameter}`
        : `/api/executions?workspaceId=${instance.workspaceId}&${parameter}`;
      const { status, body } = await instance.gateway.call('GET', list, { as: instance.key });
      expect([status, body.details]).toMatchObject([400, [{ message: 'must be integer' }]]);
    },
  );
});

describe('runs that never began', () => {
  it('are found by when they were created, in ranges of the start time', async () => {
    expect(await idsOf({ 'startedAt[gte]': '2026-03-10T04:30:00Z', 'startedAt[lte]': '2026-03-10T06:30:00Z' })).toEqual(
      [runs.stopped, runs.waiting],
    );
    expect(await idsOf({ 'startedAt[gt]': '2026-03-10T04:30:00Z', 'startedAt[lt]': '2026-03-10T08:30:00Z' })).toEqual([
      runs.stopped,
    ]);
  });

  it('stand in the list by when they were created, in both orders', async () => {
    const { first, waiting, stopped, last } = runs;
    expect(await idsOf()).toEqual([last, stopped, waiting, first]);
    expect(await idsOf({ sortOrder: 'asc' })).toEqual([first, waiting, stopped, last]);
  });

  it('are stopped in bulk by the same range', async () => {
    const { body } = await instance.gateway.call('POST', '/api/executions/stop', {
      as: instance.key,
      body: { workspaceId: instance.workspaceId, startedAt: { gt: '2026-03-10T04:30Z', lt: '2026-03-10T05:00' } },
    });
    expect(body.stopped).toBe(0);
  });

  it('are read from an index in the order of the list, of a workspace, a workflow and a status', async () => {
    const plan = async (condition: string): Promise<string> => {
      const rows = await instance.db.$transaction(async (tx) => {
        await tx.$executeRaw`SET LOCAL enable_seqscan = off`;
        await tx.$executeRaw`SET LOCAL enable_bitmapscan = off`;
        return tx.$queryRawUnsafe<{ 'QUERY PLAN': string }[]>(
          `EXPLAIN SELECT e.id FROM executions e WHERE ${condition} AND coalesce(e.started_at, e.created_at) >= '2026-03-01'
           ORDER BY coalesce(e.started_at, e.created_at) DESC, e.id DESC LIMIT 100`,
        );
      });
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
    const workspace = `e.workspace_id = '${instance.workspaceId}'`;
    for (const [condition, index] of [
      [workspace, 'executions_in_workspace'],
      [`e.workflow_id = '${workflowId}'`, 'executions_of_workflow'],
      [`${workspace} AND e.status = 'failed'`, 'executions_with_status'],
    ] as const) {
      const text = await plan(condition);
      expect(text).toMatch(new RegExp(`Index (Only )?Scan using ${index}`));
      // Partitions are merged in order, each read by its index.
      expect(text).not.toMatch(/Sort {2}\(|Seq Scan/);
    }
  });
});

describe('times in requests', () => {
  it.each([
    ['a date alone', '2026-03-10', '2026-03-11'],
    ['no seconds', '2026-03-10T02:30Z', '2026-03-10T08:30Z'],
    ['no offset, which is UTC', '2026-03-10T02:30:00', '2026-03-10T08:30:00.000'],
    ['neither', '2026-03-10T02:30', '2026-03-10T08:30'],
    ['an offset', '2026-03-10T03:30+01:00', '2026-03-10T06:00:00-02:30'],
    ['an offset of hours', '2026-03-10T03:30+01', '2026-03-10T06:30-02'],
    ['an offset without a colon', '2026-03-10T03:30:00+0100', '2026-03-10T06:00:00-0230'],
    ['the basic format', '20260310T023000Z', '20260310T0830'],
  ])('are ISO 8601 with %s', async (_, from, to) => {
    expect(await idsOf({ 'startedAt[gte]': from, 'startedAt[lte]': to })).toHaveLength(4);
    const read = await call(`/api/monitoring/stats?${query({ workspaceId: instance.workspaceId, from, to })}`);
    expect([read.status, read.body.from]).toEqual([200, new Date(read.body.from).toISOString()]);
    expect(read.body.from).toBe(from === '2026-03-10' ? '2026-03-10T00:00:00.000Z' : '2026-03-10T02:30:00.000Z');
  });

  it.each(['2026-02-30', '2026-03-10T25:00', '2026-03-10T10:00:61Z', '2026-3-1', 'today', '2026-03-10T', '2026031'])(
    'are not %s',
    async (text) => {
      const { status, body } = await list({ 'startedAt[gte]': text });
      expect([status, body.details?.[0]?.path]).toEqual([400, 'startedAt.gte']);
    },
  );

  it('an unknown operator is a 400 that names it', async () => {
    const { status, body } = await list({ 'startedAt[after]': '2026-03-10' });
    expect([status, body.details?.[0]?.path]).toEqual([400, 'startedAt.after']);
    expect((await list({ startedAt: '2026-03-10' })).status).toBe(400);
  });

  it('set the expiry of a key in UTC', async () => {
    const { body } = await instance.gateway.call('POST', '/api/api-keys', {
      as: instance.session,
      body: { name: 'k', password: OWNER.password, expiresAt: '2099-01-02T03:04' },
    });
    expect(body.expiresAt).toBe('2099-01-02T03:04:00.000Z');
  });
});

describe('the ETag of a list', () => {
  const path = () => `/api/executions?${query({ workspaceId: instance.workspaceId, fields: 'id,status' })}` as const;
  const read = (headers: Readonly<Record<string, string>> = {}) =>
    instance.gateway.call('GET', path(), { as: instance.key, headers });

  it('answers 304 until a run of the page changes', async () => {
    const etag = (await read()).headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[\w-]+"$/);
    const same = await read({ 'if-none-match': etag });
    expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await read({ 'if-none-match': 'W/"other"' })).status).toBe(200);
    await instance.db.execution.update({ where: { id: runs.waiting }, data: { status: 'paused' } });
    const changed = await read({ 'if-none-match': etag });
    expect([changed.status, changed.body.data.map(({ status }) => status)]).toEqual([
      200,
      ['failed', 'stopped', 'paused', 'success'],
    ]);
    await instance.db.execution.update({ where: { id: runs.waiting }, data: { status: 'pending' } });
    expect((await read({ 'if-none-match': etag })).status).toBe(304);
  });
});

describe('the limit of a list', () => {
  it('above the maximum is the maximum, and the response says so', async () => {
    expect((await list({ limit: '501' })).body.limit).toBe(500);
    expect((await list({ limit: '2000000000000' })).body.limit).toBe(500);
    expect((await call(`/api/workflows/${workflowId}/executions?limit=500`)).body.limit).toBe(100);
    expect((await call(`/api/workflows/${workflowId}/executions?limit=99`)).body.limit).toBe(99);
    expect((await call('/api/node-types?limit=1000')).body.limit).toBe(500);
  });

  it.each(['0', '-1', '2.5', 'ten', ''])('"%s" is a 400', async (limit) => {
    const { status, body } = await list({ limit });
    expect([status, body.details?.[0]?.path]).toEqual([400, 'limit']);
  });
});

describe('booleans in queries', () => {
  it.each(['true', 'True', 'TRUE', '1', 'yes', 'Yes'])('%s is true', async (includeTotal) => {
    expect((await list({ includeTotal })).body.total).toBe(4);
  });

  it.each(['false', 'FALSE', '0', 'no', 'No'])('%s is false', async (includeTotal) => {
    expect((await list({ includeTotal })).body).not.toHaveProperty('total');
  });

  it.each(['2', 'on', 'y', ''])('"%s" is a 400', async (includeTotal) => {
    const { status, body } = await list({ includeTotal });
    expect([status, body.details?.[0]?.path]).toEqual([400, 'includeTotal']);
  });
});

describe('a query parameter that an endpoint does not know', () => {
  it('is a 400 that names it, for every endpoint below /api', async () => {
    const missed: string[] = [];
    for (const { method, path } of listRoutes(instance.gateway.services)) {
      if (!path.startsWith('/api/')) continue;
      const filled = path.replaceAll(/:\w+/g, runs.first);
      const { status, body } = await instance.gateway.call(method, `${filled}?nmae=x&workspaceId=`, {
        as: instance.session,
      });
      if (status !== 400 || body.details?.[0]?.path !== 'nmae') missed.push(`${method} ${path}: ${status}`);
    }
    expect(missed).toEqual([]);
  });

  it('does not stand in the way of probes', async () => {
    expect((await call('/healthz?at=1')).status).toBe(200);
  });

  it('comes after what the caller may not do', async () => {
    expect((await instance.gateway.call('GET', '/api/executions?nmae=x')).status).toBe(401);
  });
});

describe('workspaceId in a query', () => {
  it('is accepted by every endpoint', async () => {
    expect((await call(`/api/executions/${runs.first}?workspaceId=${instance.workspaceId}`)).status).toBe(200);
    expect((await call(`/api/workflows/${workflowId}?workspaceId=${instance.workspaceId}`)).status).toBe(200);
  });

  it('of somebody else is a 403, whatever else is wrong', async () => {
    const stranger = await addPerson(instance);
    for (const path of [`/api/executions/${runs.first}?`, '/api/executions?limit=x&', '/api/workflows?nmae=x&']) {
      const { status, body } = await instance.gateway.call('GET', `${path}workspaceId=${instance.workspaceId}`, {
        as: stranger.session,
      });
      expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
    }
  });
});

describe('runs by their duration', () => {
  /** A run in progress that began ten minutes ago, and one that took a minute and a half. */
  let slow: string;
  let quick: string;
  const RANGE = { 'startedAt[gte]': new Date(Date.now() - 3_600_000).toISOString() };

  beforeAll(async () => {
    [slow, quick] = [await execute(), await execute()];
    const startedAt = new Date(Date.now() - 600_000);
    const times = { createdAt: startedAt, startedAt };
    await instance.db.execution.update({ where: { id: slow }, data: { ...times, status: 'paused' } });
    const finishedAt = new Date(startedAt.getTime() + 90_000);
    await instance.db.execution.update({ where: { id: quick }, data: { ...times, status: 'success', finishedAt } });
  });
  afterAll(() => instance.db.execution.deleteMany({ where: { id: { in: [slow, quick] } } }));

  it.each([
    ['minDurationMs=90000', ['slow', 'quick']],
    ['minDurationMs=90001', ['slow']],
    ['minDurationMs=86400000', []],
    ['maxDurationMs=90000', ['quick']],
    ['maxDurationMs=89999', []],
    ['minDurationMs=0&maxDurationMs=3600000', ['slow', 'quick']],
  ])('are found by %s, those in progress by their time so far', async (limits, names) => {
    const found = await idsOf({ ...Object.fromEntries(new URLSearchParams(limits)), ...RANGE });
    expect(new Set(found)).toEqual(new Set(names.map((name) => (name === 'slow' ? slow : quick))));
  });

  it('without a start have none', async () => {
    const days = { 'startedAt[gte]': '2026-03-01', 'startedAt[lte]': '2026-04-01' };
    expect(await idsOf({ ...days, minDurationMs: '0' })).toEqual([runs.last, runs.first]);
  });

  it.each<[Readonly<Record<string, string>>, string]>([
    [{ minDurationMs: '-1' }, 'minDurationMs'],
    [{ maxDurationMs: '1.5' }, 'maxDurationMs'],
    [{ minDurationMs: 'long' }, 'minDurationMs'],
    [{ maxDurationMs: '31536000001' }, 'maxDurationMs'],
    [{ ...RANGE, minDurationMs: '2', maxDurationMs: '1' }, 'maxDurationMs'],
    [{ ...RANGE, minDurationMs: '1', sortBy: 'createdAt' }, 'sortBy'],
    [{ ...RANGE, maxDurationMs: '1', sortBy: 'finishedAt' }, 'sortBy'],
    [{ minDurationMs: '1' }, 'startedAt.gte'],
    [{ maxDurationMs: '1', 'startedAt[lte]': '2026-03-10' }, 'startedAt.gte'],
    [{ minDurationMs: '1', 'startedAt[gte]': '2026-03-01', 'startedAt[lte]': '2026-04-02' }, 'startedAt.gte'],
    [{ minDurationMs: '1', 'startedAt[gt]': '2026-03-01' }, 'startedAt.gt'],
    [{ minDurationMs: '1', 'startedAt[gte]': '2026-03-01', 'startedAt[lte]': '9999-01-01' }, 'startedAt.gte'],
  ])('400 for %p, which is named, because it would read all runs', async (params, path) => {
    const format = { ...params, format: 'json' };
    for (const { status, body } of [
      await list(params),
      await call(`/api/workflows/${workflowId}/executions?${query(params)}`),
      await call(`/api/executions/export?${query({ workspaceId: instance.workspaceId, ...format })}`),
    ]) {
      expect([status, 'details' in body && body.details?.[0]?.path]).toEqual([400, path]);
    }
  });

  it('are stopped, and acted on in bulk, by the same filter with a range', async () => {
    const post = (path: `/api/${string}`, body: object) =>
      instance.gateway.call('POST', path, {
        as: instance.key,
        body: { workspaceId: instance.workspaceId, ...body },
      });
    const startedAt = { gte: RANGE['startedAt[gte]'] };
    const count = (filter: object) => post('/api/bulk-actions?dryRun=true', { action: 'stop', filter });
    expect((await count({ minDurationMs: 90_001, startedAt })).body).toEqual({ total: 1 });
    expect((await count({ maxDurationMs: 90_001, startedAt })).body).toEqual({ total: 0 });
    for (const [refused, path] of [
      [await count({ minDurationMs: 1 }), 'filter.startedAt.gte'],
      [await post('/api/executions/stop', { minDurationMs: 1 }), 'startedAt.gte'],
    ] as const) {
      expect([refused.status, refused.body.details?.[0]?.path]).toEqual([400, path]);
    }
    expect((await post('/api/executions/stop', { maxDurationMs: 1, startedAt })).body).toEqual({ stopped: 0 });
    expect((await post('/api/executions/stop', { minDurationMs: 1, startedAt })).body).toEqual({ stopped: 1 });
    expect((await call(`/api/executions/${slow}`)).body.status).toBe('stopped');
  });
});

describe('stopping runs in bulk', () => {
  const stop = (body: object) =>
    instance.gateway.call('POST', '/api/executions/stop', {
      as: instance.key,
      body: { workspaceId: instance.workspaceId, ...body },
    });

  it.each([{}, { all: false }, { startedAt: {} }])('with %p is a 400: a filter or all is needed', async (body) => {
    const refused = await stop(body);
    expect([refused.status, refused.body.details?.[0]?.path]).toEqual([400, 'all']);
    expect((await call(`/api/executions/${runs.waiting}`)).body.status).toBe('pending');
  });

  it('with a filter and all stops what fits', async () => {
    expect((await stop({ all: true, status: 'paused' })).body).toEqual({ stopped: 0 });
  });

  it('with all stops everything', async () => {
    const id = await execute();
    expect((await stop({ all: true })).body).toEqual({ stopped: 2 });
    expect((await call(`/api/executions/${id}`)).body.status).toBe('stopped');
  });
});

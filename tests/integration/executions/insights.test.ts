import type { ExecutionMode, ExecutionStatus, Insights } from '@deckhand/contracts';
import { type Database, indexExecutions, pruneData, pruneRunDays, pruneRuns } from '@deckhand/db';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  addPerson,
  chain,
  type Instance,
  type Seed,
  seedWorkflow,
  startInstance,
  stopAll,
} from '../../harness/index.ts';

let instance: Instance;
let db: Database;
let seed: Seed;
let key: string;

beforeAll(async () => {
  instance = await startInstance();
  ({ db } = instance);
});
afterAll(stopAll);
beforeEach(async () => {
  seed = await seedWorkflow(db, chain({ id: 'a', type: 'fail', parameters: { message: 'No' } }));
  const { workspaceId } = seed;
  const { userId } = await db.membership.findFirstOrThrow({ where: { workspaceId: instance.workspaceId } });
  await db.membership.create({ data: { workspaceId, userId, role: 'viewer' } });
  key = instance.key;
});

interface Ended {
  readonly of?: Seed;
  readonly status?: ExecutionStatus;
  readonly mode?: ExecutionMode;
  /** When it ended. */
  readonly at?: string;
  /** Null if it never started. */
  readonly tookMs?: number | null;
}

/** Adds a run that has ended and waits to be indexed. */
async function end({
  of = seed,
  status = 'success',
  mode = 'normal',
  at = '2026-03-02T12:00:00Z',
  tookMs = 1_000,
}: Ended = {}): Promise<string> {
  const id = await of.accept({ n: 1 });
  const error = status === 'failed' ? JSON.stringify({ message: 'No', nodeId: 'a', code: 'NODE_FAILED' }) : null;
  await db.$executeRaw`
    UPDATE executions SET status = ${status}::execution_status, execution_mode = ${mode}::execution_mode,
      finished_at = ${new Date(at)}, error = ${error},
      started_at = ${tookMs === null ? null : new Date(Date.parse(at) - tookMs)}
    WHERE id = ${id}::uuid`;
  await db.$executeRaw`INSERT INTO unindexed_executions (execution_id) VALUES (${id}::uuid)`;
  return id;
}

async function call(params: Readonly<Record<string, string>> = {}, as = key) {
  const query = new URLSearchParams({ workspaceId: seed.workspaceId, from: '2026-03-01', to: '2026-03-04', ...params });
  return instance.gateway.call('GET', `/api/insights?${query.toString()}`, { as });
}

async function insights(params: Readonly<Record<string, string>> = {}): Promise<Insights> {
  const { status, body } = await call(params);
  expect(status).toBe(200);
  return body;
}

/** Runs, failures and stopped runs of the days that have any. */
async function daysOf(params: Readonly<Record<string, string>> = {}) {
  const { days } = await insights(params);
  return days.flatMap(({ day, runs, success, failed, timeout, stopped }) =>
    runs === 0 ? [] : [[day, success, failed, timeout, stopped]],
  );
}

describe('runs are counted', () => {
  it('by the day of UTC of their end, for their workspace and their workflow, unless an author tries something', async () => {
    const ids = [
      await end({ at: '2026-03-02T00:00:00Z' }),
      await end({ at: '2026-03-02T23:59:59.999Z', tookMs: 60_000 }),
      await end({ status: 'failed' }),
      await end({ status: 'timeout', mode: 'sandbox' }),
      await end({ status: 'stopped', tookMs: null }),
      await end({ at: '2026-03-03T00:00:00Z' }),
      await end({ mode: 'test' }),
      await end({ mode: 'debug' }),
    ];
    await indexExecutions(db, ids);
    expect(await daysOf()).toEqual([
      ['2026-03-02', 2, 1, 1, 1],
      ['2026-03-03', 1, 0, 0, 0],
    ]);
    const found = await insights();
    expect(found).toMatchObject({ runs: 6, success: 3, failed: 1, timeout: 1, stopped: 1, failureRate: 0.4 });
    expect(found.days.map(({ day }) => day)).toEqual(['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04']);
    expect(found.days[0]).toEqual({
      ...{ day: '2026-03-01', runs: 0, success: 0, failed: 0, timeout: 0, stopped: 0 },
      ...{ failureRate: null, durationMs: null },
    });
    const { p50, p95 } = found.durationMs!;
    expect([Math.abs(p50 / 1_000 - 1) < 0.05, Math.abs(p95 / 60_000 - 1) < 0.05]).toEqual([true, true]);
    expect(found.workflows).toMatchObject([{ workflowId: seed.workflowId, workflowName: 'Test', runs: 6, success: 3 }]);
    expect(found.workflows[0]!.durationMs).toEqual(found.durationMs);
    expect(await daysOf({ workflowId: seed.workflowId })).toEqual(await daysOf());
    expect(await daysOf({ workflowId: uuidv7() })).toEqual([]);
  });

  it('once, by processes that index the same runs at the same time and in any parts', async () => {
    const statuses = ['success', 'failed', 'timeout', 'stopped'] as const;
    const ids = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        end({ status: statuses[index % 4]!, at: `2026-03-0${1 + (index % 3)}T08:00:00Z`, tookMs: 3 ** (index % 9) }),
      ),
    );
    await Promise.all([0, 10, 20].map((from) => indexExecutions(db, ids.slice(from, from + 20))));
    await indexExecutions(db, ids);
    const counted = await db.runDay.findMany({ where: { workspaceId: seed.workspaceId }, orderBy: { day: 'asc' } });
    await db.runDay.deleteMany({ where: { workspaceId: seed.workspaceId } });
    await db.$executeRaw`INSERT INTO unindexed_executions (execution_id) SELECT unnest(${ids}::uuid[])`;
    await indexExecutions(db, ids);
    // Counted anew, all at once, the days have the same rows.
    expect(await db.runDay.findMany({ where: { workspaceId: seed.workspaceId }, orderBy: { day: 'asc' } })).toEqual(
      counted,
    );
    expect(await insights()).toMatchObject({ runs: 40, success: 10, failed: 10, timeout: 10, stopped: 10 });
  });

  it('not at all by a statement that fails, and once by the next one', async () => {
    const ids = [await end({ status: 'failed' }), await end()];
    const failing = new Proxy(db, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (name !== '$transaction') return typeof member === 'function' ? member.bind(target) : member;
        return (work: (tx: object) => Promise<unknown>) =>
          target.$transaction(async (tx) => {
            await work(tx);
            throw new Error('the process died before its commit');
          });
      },
    });
    await expect(indexExecutions(failing, ids)).rejects.toThrow('died');
    expect(await daysOf()).toEqual([]);
    await indexExecutions(db, ids);
    expect(await daysOf()).toEqual([['2026-03-02', 1, 1, 0, 0]]);
  });
});

describe('what is deleted stays counted', () => {
  it('once, whether its data was deleted before or after it was indexed', async () => {
    const [early, late] = [await end(), await end({ status: 'failed' })];
    await indexExecutions(db, [late]);
    expect(await pruneData(db, [early, late])).toBe(2);
    expect(await daysOf()).toEqual([['2026-03-02', 1, 1, 0, 0]]);
    await indexExecutions(db, [early, late]);
    expect(await daysOf()).toEqual([['2026-03-02', 1, 1, 0, 0]]);
    expect(await pruneRuns(db, [early, late])).toBe(2);
    await db.workflow.delete({ where: { id: seed.workflowId } });
    expect(await daysOf()).toEqual([['2026-03-02', 1, 1, 0, 0]]);
    expect((await insights()).workflows).toMatchObject([{ workflowId: seed.workflowId, workflowName: null, runs: 2 }]);
  });

  it('and is not counted by a version before insights, which put it back on the work list', async () => {
    const id = await end();
    await indexExecutions(db, [id]);
    await pruneData(db, [id]);
    await db.$executeRaw`UPDATE unindexed_executions SET is_counted = false WHERE execution_id = ${id}::uuid`;
    await indexExecutions(db, [id]);
    expect(await daysOf()).toEqual([['2026-03-02', 1, 0, 0, 0]]);
  });

  it('for 801 days', async () => {
    const { workspaceId, workflowId } = seed;
    const dayBefore = (days: number) => new Date(Date.parse(new Date().toISOString().slice(0, 10)) - days * 86_400_000);
    const counts = { succeeded: 1, failed: 0, timedOut: 0, stopped: 0, durations: [1] };
    const days = [800, 801, 802, 900].map(dayBefore);
    await db.runDay.createMany({ data: days.map((day) => ({ workspaceId, workflowId, day, ...counts })) });
    expect(await pruneRunDays(db, 1)).toBe(1);
    expect(await pruneRunDays(db, 10)).toBe(1);
    const left = await db.runDay.findMany({ where: { workspaceId }, orderBy: { day: 'desc' } });
    expect(left.map(({ day }) => day)).toEqual(days.slice(0, 2));
  });
});

describe('GET /api/insights', () => {
  it('compares with as many days before, in total and of each workflow', async () => {
    const ids = [
      await end({ at: '2026-02-24T12:00:00Z' }),
      await end({ at: '2026-02-25T12:00:00Z', status: 'failed' }),
      await end({ at: '2026-02-28T12:00:00Z' }),
      await end({ at: '2026-03-01T12:00:00Z' }),
      await end({ at: '2026-03-04T12:00:00Z' }),
      await end({ at: '2026-03-05T12:00:00Z' }),
    ];
    await indexExecutions(db, ids);
    const { previous, workflows, ...found } = await insights();
    expect(found).toMatchObject({ from: '2026-03-01', to: '2026-03-04', runs: 2, failureRate: 0 });
    expect(previous).toMatchObject({ from: '2026-02-25', to: '2026-02-28', runs: 2, failed: 1, failureRate: 0.5 });
    expect(workflows).toMatchObject([{ runs: 2, previous: { runs: 2, failureRate: 0.5 } }]);
    expect((await insights({ workflowId: seed.workflowId })).workflows).toEqual([]);
  });

  it('has the last 30 days by default, up to now', async () => {
    await indexExecutions(db, [await end({ at: new Date().toISOString() })]);
    const { body } = await instance.gateway.call('GET', `/api/insights?workspaceId=${seed.workspaceId}`, { as: key });
    expect([body.runs, body.days.length]).toEqual([1, 30]);
  });

  it('is a file of CSV, too', async () => {
    await indexExecutions(db, [await end(), await end({ status: 'failed', tookMs: null })]);
    const { p50, p95 } = (await insights()).durationMs!;
    const query = `workspaceId=${seed.workspaceId}&from=2026-03-01&to=2026-03-02&format=csv`;
    const response = await fetch(`${instance.gateway.url}/api/insights?${query}`, {
      headers: { 'x-api-key': key },
    });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(await response.text()).toBe(
      [
        'day,runs,success,failed,timeout,stopped,failureRate,p50Ms,p95Ms',
        '2026-03-01,0,0,0,0,0,,,',
        `2026-03-02,2,1,1,0,0,0.5,${p50},${p95}`,
        '',
      ].join('\r\n'),
    );
  });

  it.each([
    [{ from: '2026-03-05' }, 'from'],
    [{ from: '2025-01-28' }, 'from'],
    [{ from: '1999-12-31', to: '2000-01-05' }, 'from'],
    [{ to: '0000-01-01' }, 'to'],
    [{ to: '2026-02-30' }, 'to'],
    [{ from: 'yesterday' }, 'from'],
    [{ format: 'xml' }, 'format'],
  ])('400 for %j, which names the parameter', async (params, path) => {
    const { status, body } = await call(params);
    expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(JSON.stringify(body)).toContain(`"path":"${path}"`);
  });

  it('takes 400 days', async () => {
    expect((await insights({ from: '2025-01-29' })).days).toHaveLength(400);
  });

  it('is for members of the workspace only', async () => {
    await indexExecutions(db, [await end()]);
    const stranger = await addPerson(instance, 'viewer');
    expect((await call({}, stranger.session)).status).toBe(403);
    const own = await instance.gateway.call(
      'GET',
      `/api/insights?workspaceId=${instance.workspaceId}&workflowId=${seed.workflowId}&from=2026-03-01&to=2026-03-04`,
      { as: key },
    );
    expect([own.status, own.body.runs]).toEqual([200, 0]);
  });
});

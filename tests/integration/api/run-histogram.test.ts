import { EXECUTION_STATUSES, type ExecutionHistogram, type ExecutionStatus } from '@deckhand/contracts';
import { Prisma } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chain, createWorkflow, type Instance, runIdAt, startInstance, stopAll } from '../../harness/index.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const MINUTE_MS = 60_000;
const MAX_RUNS = 20_000;

let instance: Instance;
let workflowId: string;
let otherId: string;

beforeAll(async () => {
  instance = await startInstance();
  const echo = chain({ id: 'a', type: 'set', parameters: { fields: {} } });
  [workflowId, otherId] = [await createWorkflow(instance, echo), await createWorkflow(instance, echo)];
});
afterAll(stopAll);

/** Inserts finished runs, one a minute from the start on; every seventh failed. */
async function insert(id: string, count: number): Promise<void> {
  await instance.db.$executeRaw(Prisma.sql`
    INSERT INTO executions (id, workspace_id, workflow_id, workflow_version_id, status, source, trigger_node_id,
      trigger_data, created_at, started_at, finished_at, dispatched_at, deadline_at)
    SELECT ${runIdAt(Prisma.sql`now()`)}, w.workspace_id, w.id, w.latest_version_id,
      (CASE WHEN i % 7 = 0 THEN 'failed' ELSE 'success' END)::execution_status, 'api', 'start', '{}',
      at, at, at + interval '1 second', at, at + interval '1 hour'
    FROM workflows w, generate_series(0, ${count - 1}) i,
      LATERAL (SELECT ${new Date(START)}::timestamptz + i * interval '1 minute' AS at) t
    WHERE w.id = ${id}::uuid`);
}

interface Answer {
  readonly status: number;
  readonly body: ExecutionHistogram & { readonly code?: string; readonly message?: string };
}

function histogram(params: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const query = new URLSearchParams({ workspaceId: instance.workspaceId, ...params });
  return instance.gateway.call('GET', `/api/executions/histogram?${query.toString()}`, { as: instance.key });
}

const minute = (number: number): string => new Date(START + number * MINUTE_MS).toISOString();

/** The counts of all statuses: 0 but for these. */
const counts = (some: Partial<Record<ExecutionStatus, number>>) => ({
  ...Object.fromEntries(EXECUTION_STATUSES.map((status) => [status, 0])),
  ...some,
});

describe('the histogram of runs', () => {
  beforeAll(() => insert(workflowId, 700));

  it('counts by start and status within bounds, in buckets that begin with whole times', async () => {
    const { status, body } = await histogram({ 'startedAt[gte]': minute(65), 'startedAt[lt]': minute(190) });
    expect(status).toBe(200);
    expect(body).toMatchObject({ from: minute(65), to: minute(190), bucketSeconds: 300, isComplete: true });
    // Of the minutes 65 to 189, every seventh from 70 on.
    expect(body.statuses).toEqual(counts({ success: 107, failed: 18 }));
    expect(body.buckets).toHaveLength(25);
    expect(body.buckets[0]).toEqual({ from: minute(65), statuses: counts({ success: 5 }) });
    expect(body.buckets[1]).toEqual({ from: minute(70), statuses: counts({ success: 4, failed: 1 }) });
  });

  it('counts nothing before the bound in a bucket that begins before it', async () => {
    const { body } = await histogram({ 'startedAt[gt]': minute(3), 'startedAt[lte]': minute(600) });
    expect(body).toMatchObject({ from: minute(0), bucketSeconds: 900 });
    expect(body.buckets[0]?.statuses).toEqual(counts({ success: 9, failed: 2 }));
    expect(body.buckets.length).toBeLessThanOrEqual(60);
    // The run at the upper bound is in the last one.
    const inBuckets = body.buckets.map(({ statuses }) => statuses.success + statuses.failed);
    expect(inBuckets.reduce((sum, count) => sum + count, 0)).toBe(597);
    expect(body.statuses.success + body.statuses.failed).toBe(597);
  });

  it('has the filters of the list', async () => {
    const within = { 'startedAt[gte]': minute(0), 'startedAt[lt]': minute(700) };
    expect((await histogram({ ...within, status: 'failed' })).body.statuses).toEqual(counts({ failed: 100 }));
    expect((await histogram({ ...within, workflowId: otherId })).body.statuses).toEqual(counts({}));
    expect((await histogram({ ...within, source: 'webhook' })).body.statuses).toEqual(counts({}));
  });

  it('counts the last day without a bound, and none in a period that is empty', async () => {
    const { body } = await histogram();
    expect(body.statuses).toEqual(counts({}));
    expect(Date.parse(body.to) - Date.parse(body.from)).toBeGreaterThanOrEqual(24 * 60 * MINUTE_MS);
    const empty = await histogram({ 'startedAt[gte]': minute(10), 'startedAt[lt]': minute(5) });
    expect([empty.status, empty.body.buckets]).toEqual([200, [{ from: empty.body.from, statuses: counts({}) }]]);
  });

  it('has at most 60 buckets, however long the period is', async () => {
    const { body } = await histogram({ 'startedAt[gte]': '1900-01-01' });
    expect(body.buckets.length).toBeLessThanOrEqual(60);
    expect(body.statuses).toEqual(counts({ success: 600, failed: 100 }));
  });

  it.each([
    [{ search: 'text' }, 'search'],
    [{ sortBy: 'startedAt' }, 'sortBy'],
    [{ minDurationMs: '5' }, 'startedAt.gte'],
  ])('400 for %j, which names the parameter', async (params, path) => {
    const { status, body } = await histogram(params);
    expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(JSON.stringify(body)).toContain(path);
  });
});

it('counts the last 20,000 runs of very many, and says so', async () => {
  await insert(otherId, MAX_RUNS + 2);
  const { body } = await histogram({ 'startedAt[gte]': minute(0), workflowId: otherId });
  const { success, failed } = body.statuses;
  expect([body.isComplete, success + failed]).toEqual([false, MAX_RUNS + 1]);
  const within = { 'startedAt[gte]': minute(2), workflowId: otherId };
  expect((await histogram(within)).body.isComplete).toBe(true);
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import type { ExecutionStatus } from '@deckhand/contracts';
import {
  addPerson,
  createKey,
  type Gateway,
  type Instance,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let gateway: Gateway;

beforeAll(async () => {
  instance = await startInstance();
  ({ gateway } = instance);
});
afterAll(stopAll);

const DAY = '2026-03-01T00:00:00.000Z';

interface Run {
  readonly status: ExecutionStatus;
  /** Minutes after the day began. */
  readonly atMinute: number;
  /** Null: never started. */
  readonly waitMs: number | null;
  readonly runMs?: number;
  readonly mode?: 'normal' | 'test' | 'debug' | 'sandbox';
  readonly workflowId?: string;
}

/** Puts a run of that day into the database. */
async function addRun({ status, atMinute, waitMs, runMs, mode = 'normal', workflowId = uuidv7() }: Run): Promise<void> {
  const startedAt = new Date(Date.parse(DAY) + atMinute * 60_000);
  const createdAt = new Date(startedAt.getTime() - (waitMs ?? 0));
  await instance.db.execution.create({
    data: {
      id: uuidv7(),
      workspaceId: instance.workspaceId,
      workflowId,
      workflowVersionId: uuidv7(),
      status,
      executionMode: mode,
      source: 'api',
      triggerNodeId: 'start',
      createdAt,
      startedAt: waitMs === null ? null : startedAt,
      finishedAt: runMs === undefined ? null : new Date(startedAt.getTime() + runMs),
      deadlineAt: new Date(startedAt.getTime() + 3_600_000),
      dispatchedAt: createdAt,
      claimedDispatch: waitMs === null ? 0 : 1,
    },
  });
}

const stats = (query: string, as = instance.key) =>
  gateway.call('GET', `/api/monitoring/stats?workspaceId=${instance.workspaceId}${query}`, { as });

describe('statistics of runs', () => {
  beforeAll(async () => {
    for (const [waitMs, runMs] of [
      [0, 1_000],
      [100, 2_000],
      [200, 3_000],
    ] as const) {
      await addRun({ status: 'success', atMinute: 30, waitMs, runMs });
    }
    await addRun({ status: 'failed', atMinute: 150, waitMs: 50, runMs: 500 });
    await addRun({ status: 'running', atMinute: 150, waitMs: 50 });
    await addRun({ status: 'pending', atMinute: 200, waitMs: null });
    for (const mode of ['test', 'debug'] as const) {
      await addRun({ status: 'success', atMinute: 30, waitMs: 9_000, runMs: 9_000, mode });
    }
    await addRun({ status: 'success', atMinute: 24 * 60, waitMs: 0, runMs: 1 });
  });

  it('200: count what happened within the period, per status and part, without test and debug runs', async () => {
    const { status, body } = await stats(`&from=${DAY}&to=2026-03-02T00:00:00.000Z`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ from: DAY, bucketSeconds: 900, total: 6 });
    expect(body.statuses).toMatchObject({ success: 3, failed: 1, running: 1, pending: 1, stopped: 0 });
    expect(body.buckets).toHaveLength(96);
    const filled = body.buckets.filter(({ total }: { total: number }) => total > 0);
    expect(filled.map(({ from, total }: { from: string; total: number }) => [from, total])).toEqual([
      ['2026-03-01T00:30:00.000Z', 3],
      ['2026-03-01T02:30:00.000Z', 2],
      ['2026-03-01T03:15:00.000Z', 1],
    ]);
    expect(filled[0]!.runMs!.p50).toBe(2_000);
    expect(filled[0]!.runMs!.p95).toBeCloseTo(2_900);
    expect(filled[0]!.waitMs!.p99).toBeCloseTo(198);
    expect(filled[2]).toMatchObject({ waitMs: null, runMs: null });
    expect(body.waitMs!.p50).toBe(50);
  });

  it('are those of the last day unless asked for more, and empty where nothing ran', async () => {
    const { body } = await stats('');
    expect(Date.parse(body.to) - Date.parse(body.from)).toBe(86_400_000);
    expect(body).toMatchObject({ total: 0, waitMs: null, runMs: null });
    expect(body.buckets).toHaveLength(96);
  });

  it.each([
    [`&from=${DAY}&to=${DAY}`, 'from'],
    ['&from=2020-01-01T00:00:00.000Z&to=2022-01-01T00:00:00.000Z', 'from'],
    ['&from=yesterday', 'from'],
  ])('400: for the period %s', async (query, path) => {
    const { status, body } = await stats(query);
    expect([status, body.details?.[0]?.path]).toEqual([400, path]);
  });

  it('403: for a stranger, and for a key without the scope', async () => {
    expect((await stats('', (await addPerson(instance)).session)).body.code).toBe('FORBIDDEN');
    expect((await stats('', (await addPerson(instance, 'viewer')).session)).status).toBe(200);
    const key = await createKey(gateway, instance.session, { scopes: ['executions:read'] });
    expect((await stats('', key)).body).toMatchObject({ required: 'monitoring:read' });
  });
});

describe('the slowest workflows', () => {
  const WEEK = '&from=2026-04-01T00:00:00.000Z&to=2026-04-08T00:00:00.000Z';
  const slow = (query: string, as = instance.key) =>
    gateway.call('GET', `/api/monitoring/workflows?workspaceId=${instance.workspaceId}${query}`, { as });

  /** Saves a workflow with finished runs of these lengths, the last of which failed. */
  async function addTimed(name: string, lengths: readonly number[], mode: Run['mode'] = 'normal'): Promise<string> {
    const workflowId = uuidv7();
    await instance.db.workflow.create({ data: { id: workflowId, workspaceId: instance.workspaceId, name } });
    for (const [index, runMs] of lengths.entries()) {
      const status = index === lengths.length - 1 ? 'failed' : 'success';
      await addRun({ status, atMinute: 31 * 24 * 60 + index, waitMs: 0, runMs, mode, workflowId });
    }
    return workflowId;
  }

  it('200: come first, without test runs and those of another time', async () => {
    const quick = await addTimed('Quick', [10, 20, 30]);
    const slowest = await addTimed('Slow', [1_000, 3_000, 2_000]);
    await addTimed('Tried out', [9_000], 'test');
    const { status, body } = await slow(WEEK);
    expect(status).toBe(200);
    expect(body.data).toEqual([
      { workflowId: slowest, name: 'Slow', total: 3, failed: 1, runMs: { p50: 2_000, p95: expect.closeTo(2_900) } },
      { workflowId: quick, name: 'Quick', total: 3, failed: 1, runMs: { p50: 20, p95: expect.closeTo(29) } },
    ]);
    expect((await slow('')).body.data).toEqual([]);
  });

  it('400, 403: not of more than 31 days, and not for a stranger', async () => {
    const { status, body } = await slow('&from=2026-01-01T00:00:00.000Z&to=2026-03-01T00:00:00.000Z');
    expect([status, body.details?.[0]?.path]).toEqual([400, 'from']);
    expect((await slow(WEEK, (await addPerson(instance)).session)).body.code).toBe('FORBIDDEN');
  });
});

describe('the activity of workflows', () => {
  const activity = (ids: readonly string[], as = instance.key, workspaceId = instance.workspaceId) =>
    gateway.call('GET', `/api/monitoring/activity?workspaceId=${workspaceId}&workflowId=${ids.join(',')}`, { as });
  const minutesAgo = (minutes: number) => (Date.now() - Date.parse(DAY)) / 60_000 - minutes;

  async function addWorkflow(name: string): Promise<string> {
    const workflowId = uuidv7();
    await instance.db.workflow.create({ data: { id: workflowId, workspaceId: instance.workspaceId, name } });
    return workflowId;
  }

  it('200: has the last run, the failed runs of a day, and what starts runs', async () => {
    const [busy, idle] = [await addWorkflow('Busy'), await addWorkflow('Idle')];
    const failed = { status: 'failed', waitMs: 0, runMs: 10, workflowId: busy } as const;
    for (const minutes of [5, 60, 23 * 60, 25 * 60]) await addRun({ ...failed, atMinute: minutesAgo(minutes) });
    await addRun({ ...failed, atMinute: minutesAgo(4), mode: 'test' });
    await addRun({ ...failed, status: 'timeout', atMinute: minutesAgo(3) });
    await addRun({ status: 'running', atMinute: minutesAgo(2), waitMs: 0, workflowId: busy });
    await instance.db.webhook.create({ data: { workflowId: busy, nodeId: 'hook', suffix: uuidv7() } });
    const schedule = { nodeId: 'nightly', cron: '0 3 * * *', timezone: 'UTC', catchUp: false };
    await instance.db.schedule.create({ data: { ...schedule, workflowId: busy, workflowVersionId: uuidv7() } });
    const { status, body } = await activity([idle, busy, uuidv7()]);
    expect(status).toBe(200);
    const last = { id: expect.any(String), status: 'running', startedAt: expect.any(String) };
    expect(body.data).toEqual([
      { workflowId: busy, lastRun: last, failedRuns: 4, triggers: ['webhook', 'schedule'] },
      { workflowId: idle, lastRun: null, failedRuns: 0, triggers: [] },
    ]);
  });

  it('400, 403: of up to 100 workflows, for members, and only of workflows of the workspace', async () => {
    const workflowId = await addWorkflow('Ours');
    const stranger = await addPerson(instance);
    expect((await activity([workflowId], stranger.session)).body.code).toBe('FORBIDDEN');
    const other = uuidv7();
    await instance.db.workspace.create({ data: { id: other, name: 'Other' } });
    const ours = { workspaceId: instance.workspaceId, role: 'owner' } as const;
    const { userId } = await instance.db.membership.findFirstOrThrow({ where: ours });
    await instance.db.membership.create({ data: { workspaceId: other, userId, role: 'viewer' } });
    expect((await activity([workflowId], instance.session, other)).body.data).toEqual([]);
    for (const ids of [[], ['x'], Array.from({ length: 101 }, () => uuidv7())]) {
      const { status, body } = await activity(ids);
      expect([status, body.details?.[0]?.path]).toEqual([400, 'workflowId']);
    }
  });
});

describe('the fleet', () => {
  it('200: shows no worker where none is, and how long the oldest run waits', async () => {
    const { status, body } = await gateway.call('GET', '/api/monitoring/fleet', { as: instance.key });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      workers: { live: 0, consuming: 0 },
      data: [],
      queue: { waiting: 0, active: 0, delayed: 0, oldestWaitingSeconds: expect.any(Number) },
    });
    expect(body.queue!.oldestWaitingSeconds).toBeGreaterThan(0);
  });

  it('200: tells members how many workers there are, and neither which nor how long the queue is', async () => {
    const { session } = await addPerson(instance, 'admin');
    const bound = await createKey(gateway, instance.session, { preset: 'full', workspaceId: instance.workspaceId });
    for (const as of [session, bound]) {
      const { status, body } = await gateway.call('GET', '/api/monitoring/fleet', { as });
      expect([status, body]).toEqual([200, { workers: { live: 0, consuming: 0 } }]);
    }
  });
});

describe('the fleet with a worker', () => {
  it('lists it while it takes runs, and no more once it has left', async () => {
    const fleet = async () => (await gateway.call('GET', '/api/monitoring/fleet', { as: instance.key })).body;
    // The statistics' pending run was never queued.
    const worker = await startTestWorker(instance, { mayRecover: true });
    await until(async () => (await fleet()).workers.consuming === 1, 'the worker to count');
    expect((await fleet()).data).toMatchObject([{ pid: process.pid, state: 'consuming', concurrency: 20 }]);
    await worker.stop();
    await until(async () => (await fleet()).workers.live === 0, 'the worker to be gone');
    expect((await fleet()).data).toEqual([]);
  });
});

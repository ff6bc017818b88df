import {
  connectRedis,
  createRunQueue,
  type JobData,
  QUEUE_PREFIX,
  type QueuedRun,
  type Redis,
  RUN_QUEUE,
  type RunQueue,
} from '@deckhand/queue';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Job, Queue } from 'bullmq';
import {
  chain,
  type Seed,
  seedWorkflow,
  startStores,
  startTestWorker,
  type TestWorkerOptions,
  stopAll,
  type Stores,
  until,
} from '../../harness/index.ts';

let stores: Stores;
let redis: Redis;
let queue: RunQueue;
let raw: Queue;
let workers: Awaited<ReturnType<typeof startTestWorker>>[] = [];

beforeAll(async () => {
  stores = await startStores();
  redis = connectRedis(stores.redis.url, { role: 'producer' });
  await until(() => redis.status === 'ready');
  queue = createRunQueue(redis);
  raw = new Queue(RUN_QUEUE, { connection: redis, prefix: QUEUE_PREFIX });
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  workers = [];
  await redis.flushall();
});
afterAll(async () => {
  await raw.close();
  await queue.close();
  redis.disconnect();
  await stopAll();
});

const startWorker = async (options: Pick<TestWorkerOptions, 'concurrency' | 'unclaimedAfterMs'> = {}) =>
  workers.push(await startTestWorker(stores, { ...options, mayRecover: true }));
const workflow = () => seedWorkflow(stores.db, chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } }));

const ACCEPTED_AT_ONCE = 100;

/** Inserts this many runs that are not queued yet. */
async function accept(seed: Seed, count: number): Promise<QueuedRun[]> {
  const ids: string[] = [];
  // In parts, because a pool must provide a connection within some seconds.
  while (ids.length < count) {
    const next = Math.min(ACCEPTED_AT_ONCE, count - ids.length);
    ids.push(...(await Promise.all(Array.from({ length: next }, () => seed.accept()))));
  }
  return ids.map((executionId) => ({ workspaceId: seed.workspaceId, executionId, dispatch: 1 }));
}

/** A run with its snapshot. */
async function attachSnapshot(run: QueuedRun): Promise<QueuedRun> {
  const row = await stores.db.execution.findUniqueOrThrow({ where: { id: run.executionId } });
  const { workspaceId, workflowId, workflowVersionId, executionMode, triggerNodeId, triggerData } = row;
  const deadlineAt = row.deadlineAt.getTime();
  const rest = { triggerData: triggerData ?? 'null', deadlineAt, queuedAt: Date.now(), traceParent: null };
  return { ...run, snapshot: { workspaceId, workflowId, workflowVersionId, executionMode, triggerNodeId, ...rest } };
}

/** Waits for the end of a workflow's runs. @returns their epochs: 1 for a run that was claimed once. */
async function epochsOf({ workflowId }: Seed, count: number): Promise<Set<number>> {
  const where = { workflowId, status: 'success' } as const;
  await until(async () => (await stores.db.execution.count({ where })) === count, 'the end of the runs');
  return new Set((await stores.db.execution.findMany({ where })).map(({ epoch }) => epoch));
}

describe('runs that are queued together', () => {
  it('share jobs, and are run once each though a worker has room for one at a time', async () => {
    const seed = await workflow();
    const runs = await accept(seed, 100);
    await queue.add(runs);
    expect(await queue.counts()).toMatchObject({ waiting: 8 });
    expect(new Set((await queue.jobStates(runs)).map(({ kind }) => kind))).toEqual(new Set(['waiting']));
    await Promise.all([startWorker({ concurrency: 1 }), startWorker({ concurrency: 3 })]);
    expect(await epochsOf(seed, 100)).toEqual(new Set([1]));
    await until(async () => (await redis.keys(`*${RUN_QUEUE}:${runs[0]?.executionId ?? ''}*`)).length === 0);
    expect(new Set((await queue.jobStates(runs)).map(({ kind }) => kind))).toEqual(new Set(['missing']));
  });

  it('are alone in a job when they are few, so that the workers share them', async () => {
    const seed = await workflow();
    await queue.add(await accept(seed, 5));
    expect(await queue.counts()).toMatchObject({ waiting: 5 });
  });

  it('make two jobs for each worker that takes jobs, where it is known how many do', async () => {
    const seed = await workflow();
    const runs = await accept(seed, 30);
    let consuming = 1;
    const knowing = createRunQueue(redis, { takingWorkers: () => consuming });
    await knowing.add(runs.slice(0, 10));
    expect(await queue.counts()).toMatchObject({ waiting: 2 });
    consuming = 5;
    await knowing.add(runs.slice(10));
    expect(await queue.counts()).toMatchObject({ waiting: 12 });
    await startWorker();
    expect(await epochsOf(seed, 30)).toEqual(new Set([1]));
    await knowing.close();
  });

  it('have snapshots while they are small and few wait, and run by those; by the database where that is not so', async () => {
    const seed = await workflow();
    const runs = await Promise.all((await accept(seed, 5)).map(attachSnapshot));
    const [large, small, stopped, limited, forged] = runs;
    if (!large?.snapshot || !small || !stopped || !limited || !forged?.snapshot) throw new Error('runs are missing');
    const saying = (run: QueuedRun, text: string): QueuedRun => ({
      ...run,
      snapshot: run.snapshot && { ...run.snapshot, triggerData: JSON.stringify(text) },
    });
    await queue.add([saying(large, 'x'.repeat(5_000)), small, stopped, limited, saying(forged, 'forged')]);
    const jobs: Job<JobData>[] = await raw.getJobs(['prioritized']);
    const withSnapshot = jobs.flatMap(({ data }) => data.runs.flatMap((run) => (run.carried ? [run.executionId] : [])));
    expect(withSnapshot.sort()).toEqual([small, stopped, limited, forged].map(({ executionId }) => executionId).sort());

    const of = ({ executionId }: QueuedRun) => ({ where: { id: executionId } });
    await stores.db.execution.update({ ...of(stopped), data: { status: 'stopped', finishedAt: new Date() } });
    const other = await workflow();
    await stores.db.execution.update({ ...of(limited), data: { workflowId: other.workflowId } });
    await stores.db.workflow.update({ where: { id: other.workflowId }, data: { maxConcurrentExecutions: 1 } });
    await startWorker();
    expect(await epochsOf(seed, 3)).toEqual(new Set([1]));
    expect(await epochsOf(other, 1)).toEqual(new Set([1]));
    const begun = await stores.db.nodeRun.findMany({ where: { nodeId: 'start', executionId: forged.executionId } });
    expect(begun.map(({ output }) => output)).toEqual([forged.snapshot.triggerData]);
    expect(await stores.db.execution.findUniqueOrThrow(of(stopped))).toMatchObject({ status: 'stopped', epoch: 0 });
  });

  it('have no snapshots once many jobs wait', async () => {
    const seed = await workflow();
    await redis.zadd(
      raw.toKey('prioritized'),
      ...Array.from({ length: 1_000 }, (_, n) => [2 ** 32, `waits-${n}`]).flat(),
    );
    const [run] = await Promise.all((await accept(seed, 1)).map(attachSnapshot));
    if (!run) throw new Error('there is no run');
    const hasSnapshot = async (): Promise<boolean> => {
      await queue.add([run]);
      const job: Job<JobData> | undefined = await raw.getJob(`${run.executionId}-1`);
      await job?.remove();
      return job?.data.runs[0]?.carried !== undefined;
    };
    await until(async () => !(await hasSnapshot()));
    await redis.del(raw.toKey('prioritized'));
    await until(hasSnapshot);
  });

  it('are dispatched again when Redis forgot in which job they are', async () => {
    const seed = await workflow();
    const runs = await accept(seed, 40);
    await queue.add(runs);
    await redis.flushall();
    await startWorker();
    await epochsOf(seed, 40);
  });

  it('leave nothing behind once all jobs are done', async () => {
    const seed = await workflow();
    await queue.add(await accept(seed, 40));
    // What a dead worker had not recorded.
    await redis.hset('{deckhand}:job-of-run', 'gone-1', 'nobody-1');
    await startWorker();
    await epochsOf(seed, 40);
    await until(async () => (await redis.exists('{deckhand}:job-of-run')) === 0, 'a tidy queue');
  });
});

describe('a job that comes late', () => {
  it('does nothing when its run was dispatched again, or has ended', async () => {
    const seed = await workflow();
    const [again, ended] = await accept(seed, 2);
    if (!again || !ended) throw new Error('runs are missing');
    await queue.add([ended]);
    // Recovery would start the run that has no job.
    await startWorker({ unclaimedAfterMs: 60_000 });
    expect(await epochsOf(seed, 1)).toEqual(new Set([1]));
    const where = { id: again.executionId };
    await stores.db.execution.update({ where, data: { dispatchSeq: 2 } });
    // Each with and without a snapshot, with which a worker starts without reading the database.
    const late = [again, ended, await attachSnapshot(again), await attachSnapshot(ended)];
    for (const run of late) {
      await queue.add([run]);
      await until(async () => (await queue.jobStates([run]))[0]?.kind === 'missing', 'the end of the job');
    }
    expect(await stores.db.execution.findUniqueOrThrow({ where })).toMatchObject({ status: 'pending', epoch: 0 });
    expect(await stores.db.nodeRun.count({ where: { executionId: again.executionId } })).toBe(0);
    expect(await epochsOf(seed, 1)).toEqual(new Set([1]));
  });
});

describe('jobs of other versions', () => {
  it('of the one before are run', async () => {
    const seed = await workflow();
    const [run] = await accept(seed, 1);
    await raw.add('run', { version: 1, executionId: run?.executionId, dispatch: 1 });
    await startWorker();
    expect(await epochsOf(seed, 1)).toEqual(new Set([1]));
  });

  it('of one that is not known yet are left to others', async () => {
    const seed = await workflow();
    await raw.add('run', { version: 3, anything: 'else' }, { jobId: 'newer' });
    await startWorker();
    await queue.add(await accept(seed, 20));
    expect(await epochsOf(seed, 20)).toEqual(new Set([1]));
    const left = () => raw.getJob('newer');
    await until(async () => ((await left())?.attemptsStarted ?? 0) >= 2, 'a job that was given back');
    expect(await (await left())?.getState()).not.toBe('failed');
  });
});

describe('runs whose checkpoints are of a newer form', () => {
  it('are left to workers that know it, and others continue', async () => {
    const [newer, known] = [await workflow(), await workflow()];
    const [run] = await accept(newer, 1);
    const where = { id: run?.executionId ?? '' };
    await stores.db.execution.update({ where, data: { checkpointVersion: 2 } });
    await queue.add(run ? [run] : []);
    await startWorker();
    await queue.add(await accept(known, 20));
    expect(await epochsOf(known, 20)).toEqual(new Set([1]));
    const left = () => stores.db.execution.findUniqueOrThrow({ where });
    await until(async () => (await left()).dispatchSeq > 1, 'another dispatch of the run');
    expect(await left()).toMatchObject({ status: 'pending', epoch: 0 });
    await stores.db.execution.update({ where, data: { checkpointVersion: 1 } });
    expect(await epochsOf(newer, 1)).toEqual(new Set([1]));
  });
});

describe('a workspace that queues a lot', () => {
  it('does not keep the run of another waiting, nor runs that had begun before', async () => {
    const [busy, other, resumed] = [await workflow(), await workflow(), await workflow()];
    const many = await accept(busy, 3_000);
    for (let n = 0; n < many.length; n += 200) await queue.add(many.slice(n, n + 200));
    await queue.add(await accept(other, 1));
    const [again] = await accept(resumed, 1);
    await stores.db.execution.updateMany({
      where: { id: again?.executionId ?? '' },
      data: { dispatchSeq: 2, claimedDispatch: 1 },
    });
    await queue.add([{ workspaceId: busy.workspaceId, executionId: again?.executionId ?? '', dispatch: 2 }]);
    await startWorker();
    await epochsOf(busy, 3_000);
    for (const { workflowId } of [other, resumed]) {
      const run = await stores.db.execution.findFirstOrThrow({ where: { workflowId } });
      const where = { workflowId: busy.workflowId, startedAt: { lt: run.startedAt ?? new Date(0) } };
      // A round of 64, the job that exceeds it, and the worker's free places.
      expect(await stores.db.execution.count({ where })).toBeLessThanOrEqual(64 + 16 + 20);
    }
  });
});

import { Queue } from 'bullmq';
import type { Redis } from './connect.js';
import { createFairOrder } from './fair-order.js';
import { JOB_VERSION, nameOfRun, type QueuedRun, type RunJob, type RunJobData } from './job.js';
import { JOB_OF_RUN_KEY, QUEUE_PREFIX, RUN_QUEUE } from './names.js';
import { readQueueTime } from './queue-time.js';

/** Runs of one job at most. */
const RUNS_A_JOB_MAX = 16;
/** Runs that are queued together make at least so many jobs for each worker that takes jobs, so that all share them. */
const JOBS_A_WORKER = 2;
/** Workers that are reckoned with where nobody knows how many there are. */
const WORKERS_UNKNOWN = 4;
/** Jobs carry what their runs are begun with while fewer jobs wait: some 40 MB of Redis' memory, however long the queue gets. */
const CARRYING_JOBS_MAX = 1_000;
/** Longest trigger data that a job carries, in characters. */
const CARRIED_CHARACTERS_MAX = 2_048;
/** How often it is looked at how far the queue has come while runs are queued, in ms. */
const LOOK_MS = 100;

/** How many jobs stand in the queue, by BullMQ's state. A job carries up to 16 runs. */
export interface QueueCounts {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
}

/** What became of a run's job: it waits, a worker took it `forMs` ms ago and has not completed it, or it is gone. */
export type JobState =
  { readonly kind: 'waiting' } | { readonly kind: 'taken'; readonly forMs: number } | { readonly kind: 'missing' };

/** The producing side of the queue of runs. */
export interface RunQueue {
  /**
   * Queues runs by one pipeline, in the turns of their workspaces; those that were begun before have turns of their own. A run
   * that is queued already may be queued again. @throws when Redis refuses or is away.
   */
  add(runs: readonly QueuedRun[]): Promise<void>;
  /** Puts runs of a job, but not all of it, back to where it was: `priority` is the job's own. */
  putBack(runs: readonly RunJob[], priority: number): Promise<void>;
  /** Forgets which jobs carried runs that are claimed. */
  forget(runs: readonly RunJob[]): Promise<void>;
  /** For each run, what became of its job. */
  jobStates(runs: readonly RunJob[]): Promise<JobState[]>;
  counts(): Promise<QueueCounts>;
  /** Forgets which jobs carried which runs, when no job is left. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the queue on a `producer` connection, which stays the caller's to close.
 * @param options.consuming how many workers take jobs; 0 when nobody knows.
 */
export function createRunQueue(
  connection: Redis,
  { consuming = () => 0 }: { consuming?: () => number } = {},
): RunQueue {
  const queue = new Queue<RunJobData>(RUN_QUEUE, {
    connection,
    prefix: QUEUE_PREFIX,
    skipWaitingForReady: true,
    skipVersionCheck: true,
    skipMetasUpdate: true,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  // The connection's owner logs its errors; without a listener an emitter's error would end the process.
  queue.on('error', () => undefined);
  const order = createFairOrder();
  let lookedAt = -Infinity;
  let isLooking = false;
  let isLong = false;

  /** Looks now and then at how far the queue has come, off the way of whoever queues. */
  function look(): void {
    const now = performance.now();
    if (isLooking || now - lookedAt < LOOK_MS) return;
    isLooking = true;
    readQueueTime(connection, queue.toKey('prioritized'), order.latest())
      .then((time) => {
        order.observe(time);
        isLong = time.waiting >= CARRYING_JOBS_MAX;
        lookedAt = performance.now();
      })
      // Whoever queues hears of it, too.
      .catch(() => undefined)
      .finally(() => {
        isLooking = false;
      });
  }

  async function addJobs(jobs: readonly { runs: readonly RunJob[]; priority: number }[]): Promise<void> {
    const carried = new Map<string, string>();
    const entries = jobs.flatMap(({ runs, priority }) => {
      const [first] = runs;
      if (!first) return [];
      const jobId = nameOfRun(first);
      if (runs.length > 1) for (const run of runs) carried.set(nameOfRun(run), jobId);
      const data = { version: JOB_VERSION, runs: runs.map(toCarry) };
      return [{ name: 'run', data, opts: { jobId, priority } }];
    });
    // A run that is not found in here counts as lost, and is only dispatched once more.
    if (carried.size > 0) connection.hset(JOB_OF_RUN_KEY, carried).catch(() => undefined);
    await queue.addBulk(entries);
  }

  function toCarry({ executionId, dispatch, carried }: RunJob): RunJob {
    const isSmall = carried && carried.triggerData.length <= CARRIED_CHARACTERS_MAX;
    return isSmall && !isLong ? { executionId, dispatch, carried } : { executionId, dispatch };
  }

  async function forget(runs: readonly RunJob[]): Promise<void> {
    if (runs.length > 0) await connection.hdel(JOB_OF_RUN_KEY, ...runs.map(nameOfRun));
  }

  async function counts(): Promise<QueueCounts> {
    const {
      waiting = 0,
      prioritized = 0,
      active = 0,
      delayed = 0,
    } = await queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized');
    return { waiting: waiting + prioritized, active, delayed };
  }

  return {
    async add(runs) {
      if (runs.length === 0) return;
      look();
      const jobsMin = (consuming() || WORKERS_UNKNOWN) * JOBS_A_WORKER;
      const size = Math.min(Math.ceil(runs.length / jobsMin), RUNS_A_JOB_MAX);
      await addJobs(
        [...byFlow(runs)].flatMap(([flow, ofFlow]) =>
          chunks(ofFlow, size).map((chunk) => ({ runs: chunk, priority: order.next(flow, chunk.length) })),
        ),
      );
    },
    async putBack(runs, priority) {
      // A run that is alone in its job is found by its own name.
      if (runs.length === 1) await forget(runs);
      await addJobs([{ runs, priority }]);
    },
    forget,
    async jobStates(runs) {
      if (runs.length === 0) return [];
      const names = runs.map(nameOfRun);
      const carriers = await connection.hmget(JOB_OF_RUN_KEY, ...names);
      const pipeline = connection.pipeline();
      // BullMQ's job hash: it is there while the job is, and has `processedOn` (ms) once a worker took it.
      names.forEach((name, index) => {
        pipeline.hmget(queue.toKey(carriers[index] ?? name), 'timestamp', 'processedOn');
      });
      const answers = (await pipeline.exec()) ?? [];
      return answers.map(([error, answer]): JobState => {
        if (error) throw error;
        const fields: readonly unknown[] = Array.isArray(answer) ? answer : [];
        const [addedAt, takenAt] = fields;
        if (typeof addedAt !== 'string') return { kind: 'missing' };
        return typeof takenAt === 'string'
          ? { kind: 'taken', forMs: Date.now() - Number(takenAt) }
          : { kind: 'waiting' };
      });
    },
    counts,
    async tidy() {
      const { waiting, active, delayed } = await counts();
      if (waiting + active + delayed === 0) await connection.del(JOB_OF_RUN_KEY);
    },
    close: () => queue.close(),
  };
}

/** By workspace; what was begun before has turns of its own, so that it does not wait behind what was not. */
function byFlow(runs: readonly QueuedRun[]): Map<string, QueuedRun[]> {
  const flows = new Map<string, QueuedRun[]>();
  for (const run of runs) {
    const flow = run.dispatch > 1 ? `${run.workspaceId} again` : run.workspaceId;
    const ofFlow = flows.get(flow);
    if (ofFlow) ofFlow.push(run);
    else flows.set(flow, [run]);
  }
  return flows;
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}

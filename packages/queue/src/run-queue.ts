import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { QUEUE_PREFIX, RUN_QUEUE } from './names.js';

/** Version of the job's shape. A worker leaves jobs of a version it does not know to others. */
export const JOB_VERSION = 1;

/** A run to be taken by a worker: a claim succeeds only for the run's present dispatch. */
export interface RunJob {
  readonly executionId: string;
  readonly dispatch: number;
}

/** What stands in the queue. */
export interface RunJobData extends RunJob {
  readonly version: number;
}

/** How many jobs stand in the queue, by BullMQ's state. */
export interface QueueCounts {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
}

/** What became of a job: it waits, a worker took it `forMs` ms ago and has not completed it, or it is gone. */
export type JobState =
  { readonly kind: 'waiting' } | { readonly kind: 'taken'; readonly forMs: number } | { readonly kind: 'missing' };

/** The producing side of the queue of runs. */
export interface RunQueue {
  /** Adds jobs in one pipeline. Adding a job that is there already changes nothing. @throws when Redis refuses or is away. */
  add(jobs: readonly RunJob[]): Promise<void>;
  /** For each run, what became of its job. */
  jobStates(jobs: readonly RunJob[]): Promise<JobState[]>;
  counts(): Promise<QueueCounts>;
  close(): Promise<void>;
}

/** Opens the queue on a `producer` connection, which stays the caller's to close. */
export function createRunQueue(connection: Redis): RunQueue {
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

  return {
    async add(jobs) {
      await queue.addBulk(
        jobs.map(({ executionId, dispatch }) => ({
          name: 'run',
          data: { version: JOB_VERSION, executionId, dispatch },
          // A run that was begun goes before those that were not: what waits for it has waited already.
          opts: { jobId: jobId({ executionId, dispatch }), lifo: dispatch > 1 },
        })),
      );
    },
    async jobStates(jobs) {
      const pipeline = connection.pipeline();
      // BullMQ's job hash: it is there while the job is, and has `processedOn` (ms) once a worker took it.
      for (const job of jobs) pipeline.hmget(queue.toKey(jobId(job)), 'timestamp', 'processedOn');
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
    async counts() {
      const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized');
      return {
        waiting: (counts.waiting ?? 0) + (counts.prioritized ?? 0),
        active: counts.active ?? 0,
        delayed: counts.delayed ?? 0,
      };
    },
    close: () => queue.close(),
  };
}

/** One job per run and dispatch, so that adding it twice is harmless and its absence can be seen. */
function jobId(job: RunJob): string {
  return `${job.executionId}-${job.dispatch}`;
}

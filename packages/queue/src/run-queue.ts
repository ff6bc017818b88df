import type { QueuedRun, RunJob } from './run-job.ts';

/*
 * The queue of runs, as the rest of the service sees it. An implementation passes `tests/harness/queue-contract.ts`.
 * The contract in short:
 *
 * - A job has one or more runs of one workspace. It is delivered at least once: a job that its consumer neither
 *   completed nor gave back is delivered again, to any consumer. A job may also come twice, or late: the claim decides.
 * - Workspaces share the queue by start-time fair queuing; within a workspace, order is roughly that of priority, and
 *   of arrival, and no run is overtaken for ever.
 * - Everything may be lost at any time, when Redis is emptied. `jobStates` then says `missing`.
 * - Errors of Redis are thrown to the caller, and nothing has to be restarted afterwards.
 */

/** How many jobs are in the queue. */
export interface QueueCounts {
  /** Not taken yet. */
  readonly waiting: number;
  /** Taken by a consumer that has not completed them. */
  readonly active: number;
  /** Set aside until a time. */
  readonly delayed: number;
}

/** The state of a run's job. */
export type JobState =
  | { readonly kind: 'waiting' }
  | {
      /** A consumer has it, or died with it. */
      readonly kind: 'taken';
      /** How long ago it was taken, in ms of Redis's clock; no more than the consumer's lock lasts (30 s). */
      readonly forMs: number;
      /** The id of the worker that took it; undefined if it did not say. */
      readonly workerId: string | undefined;
    }
  | { readonly kind: 'missing' };

/** The producing side. */
export interface RunQueue {
  /**
   * Queues runs in the fair order of their workspaces. Runs that had begun before have a place of their own in that
   * order, so that they do not wait behind those that had not. A run that is queued already may be queued again.
   * @throws the error of Redis when it refuses or cannot be reached; some of the runs may be queued then.
   */
  add(runs: readonly QueuedRun[]): Promise<void>;
  /** Puts some runs of a taken job back at the position that the job had. @throws as `add` does. */
  putBack(runs: readonly RunJob[], position: number): Promise<void>;
  /** Forgets which jobs have these runs: they are claimed. @throws as `add` does. */
  forget(runs: readonly RunJob[]): Promise<void>;
  /** Returns the state of each run's job, in the same order. @throws as `add` does. */
  jobStates(runs: readonly RunJob[]): Promise<JobState[]>;
  /** @throws as `add` does. */
  counts(): Promise<QueueCounts>;
  /** Deletes the index of jobs by run when no job is left. @throws as `add` does. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A job that a consumer took. Exactly one of `complete`, `keepFirst` followed by `complete`, and `giveBack` settles it.
 */
export interface TakenJob {
  readonly name: string;
  /** Version of its JSON form. */
  readonly version: number;
  /** Its runs; undefined when its version is newer than this process knows. */
  readonly runs: readonly RunJob[] | undefined;
  /** Makes all runs but the first `count` a job of their own, at the same position. @throws the error of Redis. */
  keepFirst(count: number): Promise<void>;
  /**
   * Deletes the job: each of its runs is claimed, or cannot be claimed.
   * @throws the error of Redis, or that the lock was lost; the job is delivered again.
   */
  complete(): Promise<void>;
  /** Gives the job back to all consumers, ahead of others of its position. @throws as `complete` does. */
  giveBack(): Promise<void>;
}

/** The consuming side. */
export interface RunConsumer {
  /**
   * Waits for the next job, for a second or so. One call at a time.
   * @returns undefined when none came.
   * @throws the error of Redis when it refuses. While Redis cannot be reached this may wait until it can.
   */
  take(): Promise<TakenJob | undefined>;
  /** Returns the name of the job that is next; undefined if none waits. @throws the error of Redis. */
  nextJobName(): Promise<string | undefined>;
  /** Resolves when Redis responds, for consumers that have no room for a job. */
  ping(): Promise<void>;
  /**
   * Hands out no more jobs, not even to a `take` in progress. Jobs taken before can still be settled. May be repeated.
   */
  stop(): Promise<void>;
  /** Stops, and closes the connection: jobs that are not settled are delivered again once their locks expire. */
  close(): Promise<void>;
}

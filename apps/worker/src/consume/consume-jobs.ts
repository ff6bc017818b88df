import { setTimeout as sleep } from 'node:timers/promises';
import {
  connectRedis,
  QUEUE_PREFIX,
  RUN_QUEUE,
  type RunJob,
  type RunJobData,
  type RunQueue,
  runsOfJob,
} from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';
import type { Job } from 'bullmq';
import { QueueWorker } from './queue-worker.js';
import { createTakeWatch } from './take-watch.js';

/** How long a job may be taken without being completed before it goes to others, in ms. */
const LOCK_MS = 30_000;
/** How long one look at an empty queue waits for a job, in seconds. */
const WAIT_SECONDS = 1;
/** After the queue could not be reached, in ms. */
const RETRY_MS = 250;
/** How long a job of a newer version is left to newer workers before it is looked at again, in ms. */
const LEAVE_MS = 1_000;

/** What consuming stands on. */
export interface ConsumeOptions {
  readonly redisUrl: string;
  readonly workerId: string;
  readonly queue: Pick<RunQueue, 'putBack' | 'forget'>;
  readonly logger: Logger;
  /** How many more runs the worker has room for. */
  readonly room: () => number;
  /** Resolves when there is room for one. */
  readonly untilRoom: () => Promise<void>;
  /** Starts a run, whose place is taken when this returns; resolves when it is claimed, or is not to be had. */
  readonly start: (run: RunJob) => Promise<void>;
}

/** The consuming side of the queue. */
export interface Consumer {
  /** Whether jobs come out of the queue, or would: the last sign of life from it is recent. */
  readonly isTaking: () => boolean;
  /** Takes one look at that; to be called four times a second. */
  readonly look: () => void;
  /** Takes no job, or takes jobs again; runs that were started go on. May be repeated. */
  readonly setHeld: (isHeld: boolean) => void;
  /** Takes no more jobs; resolves when the runs of those that were taken are claimed. */
  close(): Promise<void>;
}

/**
 * Starts to take jobs, one after another while there is room. A job is done with as soon as its runs are claimed: from then on
 * the database says who holds them. Whether a run may be run at all is the claim's decision, so a job may come twice or late.
 */
export async function consumeJobs(options: ConsumeOptions): Promise<Consumer> {
  const { logger, queue, room, untilRoom, start, workerId } = options;
  const connection = connectRedis(options.redisUrl, { role: 'blocking' });
  connection.on('error', (err: Error) => logger.debug({ err: err.message }, 'the queue cannot be reached'));
  const watch = createTakeWatch({ isFull: () => room() <= 0, probe: () => connection.ping() });
  const worker = new QueueWorker(RUN_QUEUE, {
    connection,
    name: workerId,
    prefix: QUEUE_PREFIX,
    lockDuration: LOCK_MS,
    drainDelay: WAIT_SECONDS,
    // The database says whether a run was lost; a job that is handed on too often must not fail it.
    maxStalledCount: 1_000_000,
    onTurn: watch.turned,
  });
  worker.on('error', (err) => logger.debug({ err: err.message }, 'the queue reported an error'));
  await worker.waitUntilReady();
  await worker.startStalledCheckTimer();

  const handling = new Set<Promise<void>>();
  let polling: Promise<unknown> = Promise.resolve();
  let isClosing = false;
  let isHeld = false;
  let release = (): void => undefined;
  let untilReleased = Promise.resolve();

  /** Waits for a job, for a while. @returns undefined without one. */
  async function poll(): Promise<Job<RunJobData> | undefined> {
    try {
      return await worker.getNextJob(workerId);
    } catch (err) {
      logger.debug({ err }, 'no job could be taken');
      await sleep(RETRY_MS);
      return undefined;
    }
  }

  async function handle(job: Job<RunJobData>): Promise<void> {
    const runs = runsOfJob(job.data);
    if (!runs) {
      logger.warn({ jobId: job.id, version: job.data.version }, 'left a job of a newer version to newer workers');
      return job.moveToDelayed(Date.now() + LEAVE_MS, workerId);
    }
    const from = Math.min(runs.length, room());
    if (isClosing || isHeld || from === 0) {
      await job.moveToWait(workerId);
      return;
    }
    const starts = runs.slice(0, from).map((run) =>
      start(run).catch((err: unknown) => {
        logger.error({ err, executionId: run.executionId }, 'a run could not be claimed');
      }),
    );
    if (from < runs.length) await queue.putBack(runs.slice(from), job.priority);
    await Promise.all(starts);
    // Until they are claimed it is this job that says they are not lost.
    await Promise.all([
      job.moveToCompleted(null, workerId, false),
      runs.length > 1 ? queue.forget(runs.slice(0, from)) : undefined,
    ]);
  }

  async function takeJobs(): Promise<void> {
    while (!isClosing) {
      await untilReleased;
      await untilRoom();
      const polled = poll();
      polling = polled;
      const job = await polled;
      if (!job) continue;
      const handled = handle(job).catch((err: unknown) => {
        // What was not claimed, or not put back, the reconciler finds.
        logger.debug({ err, jobId: job.id }, 'a job could not be completed');
      });
      handling.add(handled);
      void handled.then(() => handling.delete(handled));
    }
  }
  void takeJobs();

  return {
    isTaking: watch.isTaking,
    look: watch.look,
    setHeld(wanted) {
      if (wanted === isHeld) return;
      isHeld = wanted;
      release();
      if (wanted) untilReleased = new Promise((resolve) => (release = resolve));
    },
    async close() {
      isClosing = true;
      release();
      await worker.close();
      await polling;
      await Promise.all(handling);
      connection.disconnect();
    },
  };
}

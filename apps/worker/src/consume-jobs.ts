import { connectRedis, JOB_VERSION, QUEUE_PREFIX, RUN_QUEUE, type RunJob } from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';
import { QueueWorker } from './queue-worker.js';
import { createTakeWatch } from './take-watch.js';

/** How long a job stays locked without being renewed, in ms. BullMQ renews at half of it. */
const LOCK_MS = 30_000;

/** How long an idle worker waits for a job before it asks again, in seconds: each answer shows that it would get one. */
const WAIT_SECONDS = 1;

/** What consuming stands on. */
export interface ConsumeOptions {
  readonly redisUrl: string;
  readonly workerId: string;
  /** Jobs under way at once. */
  readonly concurrency: number;
  readonly logger: Logger;
  /** Handles a job; never rejects for reasons of the run. */
  readonly run: (job: RunJob) => Promise<void>;
}

/** The consuming side of the queue. */
export interface Consumer {
  /** Whether jobs come out of the queue, or would: the last sign of life from it is recent. */
  readonly isTaking: () => boolean;
  /** Takes one look at that; to be called four times a second. */
  readonly look: () => void;
  /** Takes no job, or takes jobs again; those under way go on. May be repeated. */
  setHeld(isHeld: boolean): Promise<void>;
  /** Takes no more jobs and waits for those under way. */
  close(): Promise<void>;
}

/** Starts to take jobs. Whether a run may be run at all is the claim's decision, so a job may come twice or late. */
export async function consumeJobs(options: ConsumeOptions): Promise<Consumer> {
  const { logger } = options;
  const connection = connectRedis(options.redisUrl, { role: 'blocking' });
  connection.on('error', (err: Error) => logger.debug({ err: err.message }, 'the queue cannot be reached'));
  const watch = createTakeWatch({ places: options.concurrency, probe: () => connection.ping() });
  const worker = new QueueWorker(
    RUN_QUEUE,
    async (job) => {
      const { version, executionId, dispatch } = job.data;
      if (version !== JOB_VERSION) throw new Error(`job version ${version} is not known to this worker`);
      watch.began();
      try {
        await options.run({ executionId, dispatch });
      } finally {
        watch.ended();
      }
    },
    {
      connection,
      name: options.workerId,
      prefix: QUEUE_PREFIX,
      concurrency: options.concurrency,
      lockDuration: LOCK_MS,
      drainDelay: WAIT_SECONDS,
      // The database says whether a run was lost; a job that is handed on too often must not fail it.
      maxStalledCount: 1_000_000,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
      onTurn: watch.turned,
    },
  );
  worker.on('error', (err) => logger.debug({ err: err.message }, 'the queue reported an error'));
  worker.on('failed', (job, err) => logger.error({ err, executionId: job?.data.executionId }, 'a job failed'));
  worker.run().catch((err: unknown) => logger.error({ err }, 'jobs are not taken any more'));
  await worker.waitUntilReady();
  let isHeld = false;
  return {
    isTaking: watch.isTaking,
    look: watch.look,
    async setHeld(wanted) {
      if (wanted === isHeld) return;
      isHeld = wanted;
      // Those under way are not waited for.
      if (wanted) await worker.pause(true);
      else await worker.resume();
    },
    async close() {
      await worker.close();
      connection.disconnect();
    },
  };
}

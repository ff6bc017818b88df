import { connectRedis, JOB_VERSION, QUEUE_PREFIX, RUN_QUEUE, type RunJob, type RunJobData } from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';
import { Worker } from 'bullmq';

/** How long a job stays locked without being renewed, in ms. BullMQ renews at half of it. */
const LOCK_MS = 30_000;

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
  /** Takes no more jobs and waits for those under way. */
  close(): Promise<void>;
}

/** Starts to take jobs. Whether a run may be run at all is the claim's decision, so a job may come twice or late. */
export async function consumeJobs(options: ConsumeOptions): Promise<Consumer> {
  const { logger } = options;
  const connection = connectRedis(options.redisUrl, { role: 'blocking' });
  connection.on('error', (err: Error) => logger.debug({ err: err.message }, 'the queue cannot be reached'));
  const worker = new Worker<RunJobData>(
    RUN_QUEUE,
    async (job) => {
      const { version, executionId, dispatch } = job.data;
      if (version !== JOB_VERSION) throw new Error(`job version ${version} is not known to this worker`);
      await options.run({ executionId, dispatch });
    },
    {
      connection,
      name: options.workerId,
      prefix: QUEUE_PREFIX,
      concurrency: options.concurrency,
      lockDuration: LOCK_MS,
      // The database says whether a run was lost; a job that is handed on too often must not fail it.
      maxStalledCount: 1_000_000,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    },
  );
  worker.on('error', (err) => logger.debug({ err: err.message }, 'the queue reported an error'));
  worker.on('failed', (job, err) => logger.error({ err, executionId: job?.data.executionId }, 'a job failed'));
  await worker.waitUntilReady();
  return {
    async close() {
      await worker.close();
      connection.disconnect();
    },
  };
}

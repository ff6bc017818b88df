import { type Job, Worker } from 'bullmq';
import { connectRedis } from '../connect.ts';
import { type JobData, readJob } from '../run-job.ts';
import { QUEUE_PREFIX, RUN_QUEUE } from '../names.ts';
import type { RunConsumer, RunQueue, TakenJob } from '../run-queue.ts';
import { LOCK_MS, readNextJobId } from './bullmq-layout.ts';

/** How long one poll of an empty queue waits for a job, in seconds. */
const WAIT_SECONDS = 1;
/** Without a response of Redis for this long, in ms, a poll without waiting checks that it still responds. */
const CONFIRM_AFTER_MS = 500;
/** Interval of the search for jobs whose consumer died, in ms. */
const STALLED_INTERVAL_MS = 30_000;

/** What a consumer needs. */
export interface RunConsumerOptions {
  readonly redisUrl: string;
  readonly workerId: string;
  /** The producing side, for runs that are put back. */
  readonly queue: Pick<RunQueue, 'putBack' | 'forget'>;
  /** Notified of errors that no call can throw: those of the connection and of the search for dead consumers' jobs. */
  readonly onError: (error: Error) => void;
  /** Interval of the search for jobs whose consumer died, in ms; a job is delivered again after one to two of these. */
  readonly stalledIntervalMs?: number;
  /** How long a job may be kept without settling it, in ms. */
  readonly lockMs?: number;
}

/**
 * Opens the consuming side of the queue, by BullMQ's interface for fetching jobs manually
 * (https://docs.bullmq.io/patterns/manually-fetching-jobs). Resolves once Redis responds.
 */
export async function openRunConsumer({
  redisUrl,
  workerId,
  queue,
  onError,
  stalledIntervalMs = STALLED_INTERVAL_MS,
  lockMs = LOCK_MS,
}: RunConsumerOptions): Promise<RunConsumer> {
  const connection = connectRedis(redisUrl, { role: 'blocking' });
  connection.on('error', onError);
  const worker = new Worker<JobData>(RUN_QUEUE, null, {
    connection,
    name: workerId,
    prefix: QUEUE_PREFIX,
    lockDuration: lockMs,
    stalledInterval: stalledIntervalMs,
    drainDelay: WAIT_SECONDS,
    // The database says whether a run was lost; a job that is delivered often must not be failed for that.
    maxStalledCount: 1_000_000,
  });
  worker.on('error', onError);
  await worker.waitUntilReady();
  await worker.startStalledCheckTimer();

  let respondedAt = performance.now();
  let taking: Promise<unknown> = Promise.resolve();
  let stopped: Promise<void> | undefined;

  const nextJob = (block: boolean): Promise<Job<JobData> | undefined> => worker.getNextJob(workerId, { block });

  async function fetchJob(): Promise<Job<JobData> | undefined> {
    const waited = await nextJob(true);
    if (!waited && performance.now() - respondedAt < CONFIRM_AFTER_MS) return undefined;
    // Without a job it also resolves when its wait was cut short by an error. Without waiting, an error is thrown.
    const job = waited ?? (await nextJob(false));
    respondedAt = performance.now();
    return job;
  }

  async function takeJob(): Promise<TakenJob | undefined> {
    const job = await fetchJob();
    if (job && stopped) {
      await job.moveToWait(workerId);
      return undefined;
    }
    return job && toTaken(job);
  }

  function toTaken(job: Job<JobData>): TakenJob {
    const { id: name = '', data, priority } = job;
    const runs = readJob(data);
    let kept = runs ?? [];
    return {
      name,
      version: data.version,
      runs,
      async keepFirst(count) {
        await queue.putBack(kept.slice(count), priority);
        kept = kept.slice(0, count);
      },
      async complete() {
        await Promise.all([
          job.moveToCompleted(null, workerId, false),
          runs && runs.length > 1 ? queue.forget(kept) : undefined,
        ]);
      },
      async giveBack() {
        await job.moveToWait(workerId);
      },
    };
  }

  function stop(): Promise<void> {
    stopped ??= worker.close().then(async () => {
      // The caller of `take` gets the error.
      await taking.catch(() => undefined);
    });
    return stopped;
  }

  return {
    take() {
      const taken = takeJob();
      taking = taken;
      return taken;
    },
    nextJobName: () => readNextJobId(connection),
    async ping() {
      await connection.ping();
    },
    stop,
    async close() {
      await stop();
      connection.disconnect();
    },
  };
}

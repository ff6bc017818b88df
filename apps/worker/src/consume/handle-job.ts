import { setTimeout as sleep } from 'node:timers/promises';
import type { RunJob, TakenJob } from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';

/** How long a job that this worker can do nothing with for now is kept before it is given back, in ms. */
const GIVE_BACK_DELAY_MS = 1_000;

/** What handling a job needs. */
export interface HandleJobParts {
  readonly logger: Logger;
  /** Whether the worker may start no runs for now. */
  readonly isHeld: () => boolean;
  /** Number of further runs that the worker has room for. */
  readonly room: () => number;
  /**
   * Starts a run, whose place is taken when this returns. Resolves when the run is claimed or cannot be claimed.
   * Rejects when neither is known; the session logs the error.
   */
  readonly start: (run: RunJob) => Promise<void>;
}

/** What became of a job: each of its runs is claimed or cannot be claimed, or it waits in the queue again. */
export type HandledJob =
  | { readonly kind: 'completed' }
  | { readonly kind: 'given back'; readonly reason: 'newer version' | 'held' | 'full' | 'claiming failed' };

/**
 * Starts the runs of a job, as many as there is room for, and puts the others back. The job is what says that its runs
 * are not lost, until they are claimed: so it is completed only then.
 * @throws the error of Redis when the job could not be changed; it is delivered again.
 */
export async function handleJob(job: TakenJob, { logger, isHeld, room, start }: HandleJobParts): Promise<HandledJob> {
  if (!job.runs) {
    logger.warn({ job: job.name, version: job.version }, 'left a job of a newer version to newer workers');
    await sleep(GIVE_BACK_DELAY_MS);
    await job.giveBack();
    return { kind: 'given back', reason: 'newer version' };
  }
  const count = Math.min(job.runs.length, room());
  if (isHeld() || count === 0) {
    await job.giveBack();
    return { kind: 'given back', reason: isHeld() ? 'held' : 'full' };
  }
  const decided = Promise.allSettled(job.runs.slice(0, count).map((run) => start(run)));
  if (count < job.runs.length) await job.keepFirst(count);
  const failed = (await decided).filter(({ status }) => status === 'rejected').length;
  if (failed > 0) {
    logger.warn({ job: job.name, runs: failed }, 'runs could not be claimed for now; gave their job back');
    await sleep(GIVE_BACK_DELAY_MS);
    // All of its runs: the claim refuses those that are claimed.
    await job.giveBack();
    return { kind: 'given back', reason: 'claiming failed' };
  }
  await job.complete();
  return { kind: 'completed' };
}

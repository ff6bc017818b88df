import { setTimeout as sleep } from 'node:timers/promises';
import type { RunJob, TakenJob } from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';

/** Delay before a job that this worker cannot process is given back, in ms: without it, the job would come at once. */
const GIVE_BACK_DELAY_MS = 1_000;

/** What handling a job needs. */
export interface HandleJobParts {
  readonly logger: Logger;
  /** Returns true while the worker starts no runs. */
  readonly isPaused: () => boolean;
  /** Returns the number of further runs for which the worker has room. */
  readonly room: () => number;
  /**
   * Starts a run and reserves its place at once. Resolves when the run is claimed or cannot be claimed. Rejects when
   * neither is known; the session logs the error.
   */
  readonly start: (run: RunJob) => Promise<void>;
}

/** The outcome of a job. `completed`: each of its runs is claimed or cannot be claimed. */
export type HandledJob =
  | { readonly kind: 'completed' }
  | { readonly kind: 'given back'; readonly reason: 'newer version' | 'paused' | 'full' | 'claiming failed' };

/**
 * Starts as many runs of a job as there is room for, and puts the others back. The job is completed only when its runs
 * are claimed: until then it is the only thing that keeps them from being lost.
 * @throws the error of Redis when the job could not be settled; the queue delivers it again.
 */
export async function handleJob(job: TakenJob, { logger, isPaused, room, start }: HandleJobParts): Promise<HandledJob> {
  if (!job.runs) {
    logger.warn({ job: job.name, version: job.version }, 'job of a newer version given back');
    await sleep(GIVE_BACK_DELAY_MS);
    await job.giveBack();
    return { kind: 'given back', reason: 'newer version' };
  }
  const count = Math.min(job.runs.length, room());
  if (isPaused() || count === 0) {
    await job.giveBack();
    return { kind: 'given back', reason: isPaused() ? 'paused' : 'full' };
  }
  const claims = Promise.allSettled(job.runs.slice(0, count).map((run) => start(run)));
  if (count < job.runs.length) await job.keepFirst(count);
  const failed = (await claims).filter(({ status }) => status === 'rejected').length;
  if (failed > 0) {
    logger.warn({ job: job.name, runs: failed }, 'job given back because runs could not be claimed');
    await sleep(GIVE_BACK_DELAY_MS);
    // With all of its runs: a second claim of a claimed run is refused.
    await job.giveBack();
    return { kind: 'given back', reason: 'claiming failed' };
  }
  await job.complete();
  return { kind: 'completed' };
}

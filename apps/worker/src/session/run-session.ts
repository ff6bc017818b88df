import type { ClaimedExecution } from '@deckhand/db';
import type { RunJob } from '@deckhand/queue';
import { HeldRun } from './held-run.ts';
import type { SessionParts } from './session-parts.ts';

/** The work of a worker on one run of a job. */
export interface RunSession {
  /**
   * Resolves once the run no longer needs its job: true when this worker claimed it, false when it cannot be claimed.
   * Rejects when neither is known.
   */
  readonly claimed: Promise<boolean>;
  /** Resolves once this worker no longer holds the run, also when the run failed. Never rejects. */
  readonly done: Promise<void>;
}

/** Starts the session of one run of a job: claims the run, drives it until it ends, rests or halts, and writes that. */
export function startRunSession(job: RunJob, parts: SessionParts): RunSession {
  const claimed = Promise.withResolvers<boolean>();
  const done = runSession(job, parts, () => claimed.resolve(true)).then(
    () => claimed.resolve(false),
    (err: unknown) => {
      parts.logger.error({ err, executionId: job.executionId }, 'abandoned a run after an unexpected error');
      // No effect if the promise is settled: the run was claimed.
      claimed.reject(err);
    },
  );
  return { claimed: claimed.promise, done };
}

async function runSession(job: RunJob, parts: SessionParts, onClaimed: () => void): Promise<void> {
  const claimed = await claim(job, parts);
  if (!claimed) return;
  const held = hold(claimed, parts, onClaimed);
  await held.run();
  if (held.isClaimed() || !job.snapshot) return;
  // The snapshot is outdated: a limit of runs at once may apply to the run by now.
  await runSession({ ...job, snapshot: undefined }, parts, onClaimed);
}

/** Holds a claimed run. If that fails, its place is free again. */
function hold(claimed: ClaimedExecution, parts: SessionParts, onClaimed: () => void): HeldRun {
  try {
    return new HeldRun(claimed, parts, onClaimed);
  } catch (error) {
    parts.active.remove(claimed.id);
    throw error;
  }
}

/** Reserves a place and claims the run. */
async function claim(job: RunJob, { active, claims }: SessionParts): Promise<ClaimedExecution | undefined> {
  // Ignores a job that is delivered twice to this worker: a second claim would fence the first. A later dispatch is
  // claimed once the earlier one has left its place; until then, its job is not completed.
  if (!(await active.reserve(job.executionId, job.dispatch))) return undefined;
  let claimed: ClaimedExecution | undefined;
  try {
    claimed = await claims.claim(job);
    return claimed;
  } finally {
    if (!claimed) active.remove(job.executionId);
  }
}

import { DeckhandError, isFinished } from '@deckhand/contracts';
import { type Database, type ExecutionResult, readResults } from '@deckhand/db';
import { createBatcher } from '@deckhand/runtime';
import type { RunFollower } from '../runs/follow-runs.js';

/** What a run that succeeded came to: the Terminal node's result as JSON text, null without one. */
export interface RunOutcome {
  readonly resultJson: string | null;
}

/**
 * Waits for the end of a run without holding anything but its place in the follower's table. `isNew`: it was queued
 * just now, by this process.
 * @returns undefined when the signal aborts first.
 * @throws DeckhandError EXECUTION_FAILED; WEBHOOK_TIMEOUT when the run or the wait took too long, or the process is
 * about to stop; both with the `executionId`.
 */
export type AwaitRun = (
  executionId: string,
  options: { timeoutMs: number; signal: AbortSignal; isNew: boolean },
) => Promise<RunOutcome | undefined>;

/** Results of one query at most, and queries at once. */
const BATCH = { maxSize: 200, concurrency: 2 } as const;
/** The longest time that a timer can be set to, in ms. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Reads results that are due together in one query. */
export function createAwaitRun({ db, follower }: { db: Database; follower: RunFollower }): AwaitRun {
  const readResult = createBatcher({ ...BATCH, flush: (ids: string[]) => readResults(db, ids) });
  return async (executionId, { timeoutMs, signal, isNew }) => {
    const deadline = performance.now() + Math.min(timeoutMs, TIMER_MAX_MS);
    const wait = (isStillNew: boolean): Promise<boolean> =>
      follower.waitFor(executionId, ({ status }) => isFinished(status), {
        isNew: isStillNew,
        timeoutMs: Math.max(deadline - performance.now(), 0),
        signal,
        survivesDrain: true,
      });
    for (let isFirst = true; ; isFirst = false) {
      const isTold = await wait(isNew && isFirst);
      if (signal.aborted) return undefined;
      const result = await readResult(executionId);
      // An end that was told is not so when the database has failed over and lost it: the run goes on, and so does the
      // wait.
      if (isTold && result && !isFinished(result.status)) continue;
      return outcomeOf(executionId, result, follower.isDraining());
    }
  };
}

function outcomeOf(executionId: string, result: ExecutionResult | undefined, isDraining: boolean): RunOutcome {
  const extra = { executionId };
  switch (result?.status) {
    case 'success':
      return { resultJson: result.resultJson };
    case 'failed':
      throw new DeckhandError('EXECUTION_FAILED', { extra });
    case 'stopped':
      throw new DeckhandError('EXECUTION_FAILED', { message: 'The run was stopped', extra });
    case 'timeout':
      throw new DeckhandError('WEBHOOK_TIMEOUT', { extra });
    default:
      throw new DeckhandError('WEBHOOK_TIMEOUT', {
        ...(isDraining ? { message: 'The service is restarting: the run goes on without this answer' } : {}),
        extra,
      });
  }
}

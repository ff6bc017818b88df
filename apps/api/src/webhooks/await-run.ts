import { DeckhandError, isFinished } from '@deckhand/contracts';
import { type Database, type ExecutionResult, readResults } from '@deckhand/db';
import { createBatcher, type Signatures } from '@deckhand/runtime';
import type { RunFollower } from '../runs/follow-runs.ts';
import type { ReportedState } from '../runs/followed-runs.ts';

/** The response of a run: that of a node, or the result of the Terminal node of a successful run; null without one. */
export interface RunOutcome {
  readonly resultJson: string | null;
}

/**
 * Waits for the response of a run, or its end. A wait only occupies an entry in the follower's table.
 * @param options.isNew whether this process has just queued the run; otherwise the run may have been deleted.
 * @returns undefined if the signal aborts first.
 * @throws DeckhandError NOT_FOUND for a deleted run; EXECUTION_FAILED; WEBHOOK_TIMEOUT if the run or the wait takes too
 * long, or the process is about to stop. All have the `executionId`.
 */
export type AwaitRun = (
  executionId: string,
  options: { timeoutMs: number; signal: AbortSignal; isNew: boolean },
) => Promise<RunOutcome | undefined>;

/** Maximum number of results per query, and of queries at the same time. */
const BATCH = { maxSize: 200, concurrency: 2 } as const;
/** Maximum duration of a timer, in ms. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Creates the function. A result that comes with the notification of the end is not read. Others that are needed at
 * the same time are read by one query.
 */
export function createAwaitRun({
  db,
  follower,
  signatures,
}: {
  db: Database;
  follower: RunFollower;
  signatures: Signatures;
}): AwaitRun {
  const readResult = createBatcher({ ...BATCH, flush: (ids: string[]) => readResults(db, ids) });
  return async (executionId, { timeoutMs, signal, isNew }) => {
    // Nothing would report the end of a run that does not exist.
    if (!isNew && !(await readResult(executionId))) {
      const message = 'The run of the first request was deleted, and its response with it';
      throw new DeckhandError('NOT_FOUND', { message, extra: { executionId } });
    }
    const deadline = performance.now() + Math.min(timeoutMs, MAX_TIMER_MS);
    let signed: string | undefined;
    const isEnough = ({ status, hasResponse, signedResult }: ReportedState): boolean => {
      signed = signedResult;
      return hasResponse || isFinished(status);
    };
    const wait = (isStillNew: boolean): Promise<boolean> =>
      follower.waitFor(executionId, isEnough, {
        isNew: isStillNew,
        timeoutMs: Math.max(deadline - performance.now(), 0),
        signal,
        survivesDrain: true,
      });
    for (let isFirst = true; ; isFirst = false) {
      const isReported = await wait(isNew && isFirst);
      if (signal.aborted) return undefined;
      const handedOver = isReported && signed !== undefined ? signatures.verify(executionId, signed) : undefined;
      if (handedOver !== undefined) return { resultJson: handedOver };
      const result = await readResult(executionId);
      // It stands, however the run ends.
      if (typeof result?.responseJson === 'string') return { resultJson: result.responseJson };
      // A reported end may have been lost in a failover of the database. Then the run continues, and so does the wait.
      if (isReported && result && !isFinished(result.status)) continue;
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
        ...(isDraining ? { message: 'The service is restarting: the run continues without this response' } : {}),
        extra,
      });
  }
}

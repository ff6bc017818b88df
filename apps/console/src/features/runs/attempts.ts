import type { NodeAttempt, NodeProgress, NodeStatus } from '@deckhand/contracts';

/** One of several attempts of a node, as it is shown. */
export interface ShownAttempt {
  /** From 1. */
  readonly number: number;
  /** `stopped` if its worker died. */
  readonly status: NodeStatus;
  readonly startedAt: string;
  /** Null while it is in progress, or if that is unknown. */
  readonly finishedAt: string | null;
  readonly error: NodeAttempt['error'];
}

/** Returns the latest attempts of a node; none for a node that made one. */
export function attemptsOf({ attempts, attemptHistory = [], status }: NodeProgress): ShownAttempt[] {
  return attemptHistory.map((attempt, index) => ({
    ...attempt,
    number: attempts - attemptHistory.length + index + 1,
    status: attempt.error ? 'failed' : index < attemptHistory.length - 1 ? 'stopped' : status,
  }));
}

import { type ExecutionStatus, isFinished } from '@deckhand/contracts';
import type { VisibleState } from '@deckhand/db';
import type { RunContext } from '../contexts.ts';
import type { IsEnough, WaitOptions } from './follow-runs.ts';

/** Returns true if a run is finished, or waits for a person. */
export function isSettled(status: ExecutionStatus): boolean {
  return isFinished(status) || status === 'waiting_for_input' || status === 'waiting_for_human';
}

/**
 * Waits until the state of a run that the caller may see is enough, or the time is up.
 * @throws DeckhandError RATE_LIMITED if the workspace has too many waits in progress.
 */
export async function waitForRun(
  { follower, shares }: Pick<RunContext, 'follower' | 'shares'>,
  executionId: string,
  { workspaceId }: VisibleState,
  isEnough: IsEnough,
  options: WaitOptions,
): Promise<void> {
  await shares.within(workspaceId, 'waits for runs', () => follower.waitFor(executionId, isEnough, options));
}

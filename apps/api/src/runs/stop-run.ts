import { type Actor, stopDescendants, stopExecution } from '@deckhand/db';
import type { RunContext } from '../contexts.ts';
import { recordRunChange } from './record-run-change.ts';

/** How long the caller waits until the runs that the run has started are stopped, in ms; maintenance stops the rest. */
const DESCENDANTS_MS = 2_000;

/** Stops a run, and the runs that it started. @throws DeckhandError NOT_FOUND, FORBIDDEN; INVALID_STATE if it ended. */
export async function stopRun(context: RunContext, actor: Actor, executionId: string): Promise<void> {
  await stopExecution(context.db, actor, executionId);
  const onStopped = (stopped: readonly string[]): Promise<void> => context.notifyWorkers('stop', stopped);
  await onStopped([executionId]);
  const until = performance.now() + DESCENDANTS_MS;
  await stopDescendants(context.db, { of: [executionId], until, onStopped }).catch((err: unknown) => {
    context.logger.warn({ err, executionId }, 'left the children of a stopped run to maintenance');
  });
  await recordRunChange(context, actor, 'execution.stop', executionId);
}

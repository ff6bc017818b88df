import { type Actor, stopDescendants, stopExecution } from '@deckhand/db';
import type { Services } from '../services.ts';
import { notifyWorkers } from './notify-workers.ts';
import { recordRunChange } from './record-run-change.ts';

/** How long the caller waits until the runs that the run has started are stopped, in ms; maintenance stops the rest. */
const DESCENDANTS_MS = 2_000;

/** Stops a run, and the runs that it started. @throws DeckhandError NOT_FOUND, FORBIDDEN; INVALID_STATE if it ended. */
export async function stopRun(services: Services, actor: Actor, executionId: string): Promise<void> {
  await stopExecution(services.db, actor, executionId);
  const onStopped = (stopped: readonly string[]): Promise<void> => notifyWorkers(services, 'stop', stopped);
  await onStopped([executionId]);
  const until = performance.now() + DESCENDANTS_MS;
  await stopDescendants(services.db, { of: [executionId], until, onStopped }).catch((err: unknown) => {
    services.logger.warn({ err, executionId }, 'runs that a stopped run had started are left to maintenance');
  });
  await recordRunChange(services, actor, 'execution.stop', executionId);
}

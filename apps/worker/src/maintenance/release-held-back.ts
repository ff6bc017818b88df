import { countHeldRuns } from '@deckhand/db';
import type { PeriodicTask } from '../run-periodically.ts';
import type { HeldBackRuns } from './held-back-runs.ts';
import { type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.ts';

const NAME = 'release_held_back';

/** Creates the task that dispatches runs which a limit of runs at once held back, where a slot is free. */
export function createHeldBackRelease(
  { logger, metrics }: Pick<MaintenanceContext, 'logger' | 'metrics'>,
  heldBack: Pick<HeldBackRuns, 'releaseAll'>,
): PeriodicTask {
  return {
    name: NAME,
    intervalMs: 1_000,
    timeLimitMs: TASK_TIME_LIMIT_MS,
    run: (signal) =>
      heldBack.releaseAll({
        signal,
        onBadWorkspace(workspaceId, err) {
          metrics.badRow(NAME);
          logger.error({ err, workspaceId }, 'failed to dispatch held back runs of a workspace');
        },
      }),
  };
}

/** Creates the task that assigns slots to runs which were claimed before their limit of runs at once was set. */
export function createSlotCounting({ db }: Pick<MaintenanceContext, 'db'>): PeriodicTask {
  return {
    name: 'count_slots',
    intervalMs: 1_000,
    timeLimitMs: TASK_TIME_LIMIT_MS,
    run: () => countHeldRuns(db),
  };
}

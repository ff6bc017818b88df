import { stopDescendants, stopOrphans } from '@deckhand/db';
import { publishControl } from '@deckhand/queue';
import type { PeriodicTask } from '../run-periodically.js';
import { announceEnds, type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.js';

/** Children of runs that ended without them, stopped by one transaction at most. */
const BATCH = 500;
/** How long one pass goes on, in ms: the next one stops what is left. */
const BUDGET_MS = 400;

/**
 * Stops the runs that stopped runs have started, and those that a run which ended otherwise was waiting for, with all
 * that these have started. Works for a bounded time; what is left, also by a worker that dies, the next pass finds.
 */
export function createChildStopping({ db, redis, metrics, runs }: MaintenanceContext): PeriodicTask {
  async function onStopped(executionIds: readonly string[]): Promise<void> {
    metrics.acted('orphan', executionIds.length);
    runs.finished('stopped', executionIds.length);
    await publishControl(redis, { type: 'stop', executionIds });
    await announceEnds(redis, executionIds, 'stopped');
  }

  return {
    name: 'stop_children',
    intervalMs: 1_000,
    timeLimitMs: TASK_TIME_LIMIT_MS,
    async run(signal) {
      const until = performance.now() + BUDGET_MS;
      await stopDescendants(db, { until, onStopped });
      for (let hasMore = true; hasMore && !signal.aborted && performance.now() < until;) {
        const { found, stopped } = await stopOrphans(db, BATCH);
        if (stopped.length > 0) await onStopped(stopped);
        hasMore = found === BATCH;
      }
    },
  };
}

import { stopDescendants, stopOrphans } from '@deckhand/db';
import { publishControl } from '@deckhand/queue';
import { announceEnds } from '../announce-runs.ts';
import type { PeriodicTask } from '../run-periodically.ts';
import { type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.ts';

/** Maximum number of orphaned runs per transaction. */
const BATCH = 500;
/** Time budget of a pass, in ms. The next pass continues. */
const BUDGET_MS = 400;

/**
 * Creates the task that stops the children of stopped runs, and children for which a run waited that ended otherwise,
 * with all their descendants. If a pass runs out of time, or its worker dies, the next pass continues.
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

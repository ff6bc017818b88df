import { type Database, stopDescendants, stopOrphans } from '@deckhand/db';
import { publishChanges, publishControl, type Redis } from '@deckhand/queue';
import type { WorkerMetrics } from '../metrics.js';

/** Children of runs that ended without them, stopped by one transaction at most. */
const BATCH = 500;
/** How long one tick goes on, in ms: what is left has its turn in the next. */
const BUDGET_MS = 400;

/** What stopping children works with. */
export interface StopChildrenParts {
  readonly db: Database;
  readonly redis: Redis;
  readonly metrics: Pick<WorkerMetrics, 'runs' | 'reconciled'>;
}

/**
 * Stops the runs that stopped runs have started, and those that a run which ended otherwise was waiting for, with all that these have
 * started. Works for a bounded time; what is left, also by a worker that dies, the next call finds.
 */
export async function stopChildren({ db, redis, metrics }: StopChildrenParts): Promise<void> {
  const until = performance.now() + BUDGET_MS;
  const onStopped = async (executionIds: readonly string[]): Promise<void> => {
    metrics.reconciled('orphan', executionIds.length);
    metrics.runs.finished('stopped', executionIds.length);
    await publishControl(redis, { type: 'stop', executionIds });
    await publishChanges(
      redis,
      executionIds.map((executionId) => ({ executionId, ended: 'stopped' })),
    );
  };
  await stopDescendants(db, { until, onStopped });
  for (let hasMore = true; hasMore && performance.now() < until;) {
    const { found, stopped } = await stopOrphans(db, BATCH);
    if (stopped.length > 0) await onStopped(stopped);
    hasMore = found === BATCH;
  }
}

import {
  deleteLeftoversOfRunPartition,
  detachExpiredRunPartition,
  dropDetachedRunPartition,
  findDetachedRunPartitions,
} from '@deckhand/db';
import type { MaintenanceContext } from './maintenance-context.js';

/** Maximum number of rows of each other table that one statement deletes. */
const BATCH = 500;
/** Time budget of a pass, in ms. */
const BUDGET_MS = 400;

/**
 * Drops partitions whose runs all finished more than so many days ago. It detaches them, which ends their runs, then
 * deletes what other tables have of these runs, and then drops them. Each step continues after a crash.
 */
export async function dropExpiredPartitions(
  { db, logger, metrics }: Pick<MaintenanceContext, 'db' | 'logger' | 'metrics'>,
  days: number,
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + BUDGET_MS;
  let detached: string | null;
  do {
    detached = await detachExpiredRunPartition(db, days);
    if (detached !== null) logger.info({ partition: detached }, 'partition of expired runs detached');
    for (const suffix of await findDetachedRunPartitions(db)) {
      while (await deleteLeftoversOfRunPartition(db, suffix, BATCH)) {
        if (signal.aborted || performance.now() >= until) return;
      }
      const runs = await dropDetachedRunPartition(db, suffix);
      metrics.acted('pruned_run', runs);
      logger.info({ partition: suffix, runs }, 'partition of expired runs dropped');
    }
  } while (detached !== null && !signal.aborted && performance.now() < until);
}

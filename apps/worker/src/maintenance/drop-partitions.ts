import {
  deleteLeftoversOfRunPartition,
  detachExpiredRunPartition,
  DROP_LIMIT_MS,
  dropDetachedRunPartition,
  findDetachedRunPartitions,
  readInstanceSettings,
} from '@deckhand/db';
import type { PeriodicTask } from '../run-periodically.js';
import { type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.js';

/** Maximum number of rows of each other table that one statement deletes. */
const BATCH = 500;
/** Time after which a pass begins no more statements, in ms. */
const BUDGET_MS = 400;

/**
 * Creates the task that drops partitions whose runs all finished before the retention time. It detaches them, which
 * ends their runs, then deletes what other tables have of these runs, and then drops them. After a crash, the next pass
 * continues. It is a task of its own because the bytes of all runs are summed up before a drop, which may take minutes.
 */
export function createPartitionDropping({
  db,
  logger,
  metrics,
}: Pick<MaintenanceContext, 'db' | 'logger' | 'metrics'>): PeriodicTask {
  async function detach(): Promise<boolean> {
    const { runRetentionDays } = await readInstanceSettings(db);
    if (runRetentionDays === null) return false;
    const partition = await detachExpiredRunPartition(db, runRetentionDays);
    if (partition !== null) logger.info({ partition }, 'partition of expired runs detached');
    return partition !== null;
  }

  return {
    name: 'drop_partitions',
    intervalMs: 1_000,
    timeLimitMs: DROP_LIMIT_MS + TASK_TIME_LIMIT_MS,
    async run(signal) {
      const until = performance.now() + BUDGET_MS;
      const isOver = (): boolean => signal.aborted || performance.now() >= until;
      let hasDetached: boolean;
      do {
        hasDetached = await detach();
        for (const partition of await findDetachedRunPartitions(db)) {
          while (await deleteLeftoversOfRunPartition(db, partition, BATCH)) if (isOver()) return;
          const runs = await dropDetachedRunPartition(db, partition);
          metrics.acted('pruned_run', runs);
          logger.info({ partition, runs }, 'partition of expired runs dropped');
        }
      } while (hasDetached && !isOver());
    },
  };
}

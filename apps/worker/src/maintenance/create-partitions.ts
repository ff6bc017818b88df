import { createRunPartitions, readInstanceSettings } from '@deckhand/db';
import type { PeriodicTask } from '../run-periodically.ts';
import { type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.ts';

/** In ms. Partitions are created days ahead; this is for a database that was not used for longer. */
const INTERVAL_MS = 60_000;

/** Creates the task that creates the partitions of runs ahead of time. Without one, no run could be accepted. */
export function createPartitionCreation({ db, logger }: Pick<MaintenanceContext, 'db' | 'logger'>): PeriodicTask {
  return {
    name: 'create_partitions',
    intervalMs: INTERVAL_MS,
    timeLimitMs: TASK_TIME_LIMIT_MS,
    async run() {
      const { runRetentionDays } = await readInstanceSettings(db);
      const created = await createRunPartitions(db, runRetentionDays);
      if (created > 0) logger.info({ created }, 'partitions of runs created');
    },
  };
}

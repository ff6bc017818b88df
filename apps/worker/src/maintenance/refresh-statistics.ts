import { refreshStatistics } from '@deckhand/db';
import type { PeriodicTask } from '../run-periodically.ts';
import { type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.ts';

/** Creates the task that analyses tables which have grown much since the planner's last statistics. */
export function createStatisticsRefresh({ db }: Pick<MaintenanceContext, 'db'>): PeriodicTask {
  return {
    name: 'refresh_statistics',
    intervalMs: 1_000,
    timeLimitMs: TASK_TIME_LIMIT_MS,
    async run() {
      await refreshStatistics(db);
    },
  };
}

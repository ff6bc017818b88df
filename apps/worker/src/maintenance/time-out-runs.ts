import { findOverdueRuns, timeOutRuns } from '@deckhand/db';
import { publishControl } from '@deckhand/queue';
import { announceEnds } from '../announce-runs.ts';
import type { PeriodicTask } from '../run-periodically.ts';
import { createRowTask, type MaintenanceContext } from './maintenance-context.ts';

/** Maximum number of runs per statement. */
const BATCH = 500;
/** How long after its deadline a run is ended that a worker holds, in ms: normally the worker ends it itself. */
const HELD_RUN_GRACE_MS = 10_000;

/** Creates the task that ends runs past their deadline: resting runs at once, held ones after a grace period. */
export function createTimeOuts(context: MaintenanceContext): PeriodicTask {
  const { db, redis, logger, metrics, runs } = context;
  return createRowTask(
    {
      name: 'time_out_runs',
      intervalMs: 1_000,
      work: {
        find: (page) => findOverdueRuns(db, { ...page, graceMs: HELD_RUN_GRACE_MS }),
        idOf: (id) => id,
        act: (ids) => timeOutRuns(db, ids, HELD_RUN_GRACE_MS),
        async onDone(ended) {
          metrics.acted('time_out', ended.length);
          runs.finished('timeout', ended.length);
          logger.info({ runs: ended.length }, 'ended overdue runs');
          const held = ended.filter(({ workerId }) => workerId !== null).map(({ executionId }) => executionId);
          if (held.length > 0) await publishControl(redis, { type: 'stop', executionIds: held });
          await announceEnds(
            redis,
            ended.map(({ executionId }) => executionId),
            'timeout',
          );
        },
        maxRows: BATCH,
        budgetMs: 5_000,
      },
    },
    context,
  );
}

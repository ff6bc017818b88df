import { findOverdueRuns, timeOutRuns } from '@deckhand/db';
import { publishControl } from '@deckhand/queue';
import type { PeriodicTask } from '../run-periodically.js';
import { announceEnds, createRowTask, type MaintenanceContext } from './maintenance-context.js';

/** Runs ended by one statement at most. */
const BATCH = 500;
/** How long after its deadline a run is ended though a worker holds it, in ms: the worker ends it itself, if it can. */
const HELD_RUN_GRACE_MS = 10_000;

/** Ends runs that outlived their deadline: those that rest at once, those that a worker holds after a grace period. */
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
          logger.info({ runs: ended.length }, 'ended runs that outlived their time limit');
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

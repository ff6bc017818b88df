import {
  findHoldingWorkers,
  findRunsOfWorkers,
  isStoreUnavailable,
  recoverRuns,
  type RecoveredRuns,
} from '@deckhand/db';
import { type Liveness, readWritableFleet } from '@deckhand/queue';
import type { PeriodicTask } from '../run-periodically.js';
import { createBadRows } from './bad-rows.js';
import { announceEnds, type MaintenanceContext } from './maintenance-context.js';
import type { MaintenanceLease } from './maintenance-lease.js';
import { processRows } from './process-rows.js';

const NAME = 'recover_dead_workers';
/**
 * Between two readings of the heartbeats, in ms: half of what lies between two of those, so that a death is noticed
 * soon.
 */
const INTERVAL_MS = 500;
/** Longer than Redis and a statement take, in ms: while a pass hangs, no heartbeat is read. */
const TIME_LIMIT_MS = 5_000;
/** Runs of one statement at most. */
const BATCH = 1_000;

/**
 * Takes the runs of dead workers, and of those whose event loop is blocked, from them: they are dispatched again, at
 * once or after a delay, or fail. Every worker watches the heartbeats, so that whoever gets the lease next already
 * knows who is silent; only the holder of the lease acts.
 */
export function createDeadWorkerRecovery(
  { db, redis, queue, logger, metrics, runs }: MaintenanceContext,
  { liveness, lease }: { readonly liveness: Liveness; readonly lease: Pick<MaintenanceLease, 'isHeld'> },
): PeriodicTask {
  const badRows = createBadRows({ task: NAME, logger, onAdded: () => metrics.badRow(NAME) });

  async function watch(): Promise<void> {
    try {
      liveness.observe(await readWritableFleet(redis), performance.now());
    } catch (error) {
      liveness.interrupt();
      throw error;
    }
  }

  async function follow(recovered: readonly RecoveredRuns[]): Promise<void> {
    const dispatched = recovered.flatMap((batch) => batch.dispatched);
    const delayed = recovered.flatMap((batch) => batch.delayed);
    const failed = recovered.flatMap((batch) => batch.failed);
    metrics.acted('dead_worker', dispatched.length + delayed.length);
    metrics.acted('lost_too_often', failed.length);
    runs.finished('failed', failed.length);
    logger.warn(
      { dispatched: dispatched.length, delayed: delayed.length, failed },
      'took runs from dead or blocked workers: dispatched again, delayed, or lost too often',
    );
    await queue.add(dispatched);
    await announceEnds(redis, failed, 'failed');
  }

  return {
    name: NAME,
    intervalMs: INTERVAL_MS,
    timeLimitMs: TIME_LIMIT_MS,
    async run(signal) {
      await watch();
      if (!lease.isHeld()) return;
      const holding = await findHoldingWorkers(db);
      const lost = holding
        .filter((id) => liveness.isDead(id) || liveness.isBlocked(id))
        .map((id) => ({ id, culprit: liveness.culpritOf(id) }));
      if (lost.length === 0) return;
      const lostIds = lost.map(({ id }) => id);
      await processRows(
        {
          find: (page) => findRunsOfWorkers(db, lostIds, page),
          idOf: (id) => id,
          act: async (ids) => [await recoverRuns(db, lost, ids)],
          onDone: follow,
          maxRows: BATCH,
          budgetMs: TIME_LIMIT_MS / 2,
        },
        { badRows, signal, isUnavailable: isStoreUnavailable },
      );
    },
  };
}

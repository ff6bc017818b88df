import {
  findHoldingWorkers,
  findRunsOfWorkers,
  isStoreUnavailable,
  recoverRuns,
  type RecoveredRuns,
} from '@deckhand/db';
import { type Liveness, readWritableFleet } from '@deckhand/queue';
import { announceEnds } from '../announce-runs.ts';
import type { PeriodicTask } from '../run-periodically.ts';
import { createBadRows } from './bad-rows.ts';
import type { MaintenanceContext } from './maintenance-context.ts';
import type { MaintenanceLease } from './maintenance-lease.ts';
import { processRows } from './process-rows.ts';

const NAME = 'recover_dead_workers';
/** In ms: half the interval of heartbeats, so that a death is noticed soon. */
const INTERVAL_MS = 500;
/** A deputy reads the heartbeats in one of so many passes: a reading costs Redis more, the larger the fleet is. */
const PASSES_PER_READING = 2;
/** In ms: longer than Redis and a statement take, but short, because no heartbeat is read while a pass hangs. */
const TIME_LIMIT_MS = 5_000;
/** Maximum number of runs per statement. */
const BATCH = 1_000;

/**
 * Creates the task that recovers the runs of workers that are dead or whose event loop is blocked. The runs are
 * dispatched again, at once or after a delay, or fail. The deputies of the holder watch the heartbeats, too, so that
 * the next holder of the lease already knows who is silent; only the holder acts.
 */
export function createDeadWorkerRecovery(
  { db, redis, queue, logger, metrics, runs }: MaintenanceContext,
  { liveness, lease }: { readonly liveness: Liveness; readonly lease: Pick<MaintenanceLease, 'isHeld' | 'isNear'> },
): PeriodicTask {
  let passesAsDeputy = 0;
  const badRows = createBadRows({ task: NAME, logger, onAdded: () => metrics.badRow(NAME) });

  async function watch(): Promise<void> {
    try {
      liveness.observe(await readWritableFleet(redis), performance.now());
    } catch (error) {
      liveness.interrupt();
      throw error;
    }
  }

  async function onRecovered(recovered: readonly RecoveredRuns[]): Promise<void> {
    const dispatched = recovered.flatMap((batch) => batch.dispatched);
    const delayed = recovered.flatMap((batch) => batch.delayed);
    const failed = recovered.flatMap((batch) => batch.failed);
    metrics.acted('dead_worker', dispatched.length + delayed.length);
    metrics.acted('lost_too_often', failed.length);
    runs.finished('failed', failed.length);
    logger.warn(
      { dispatched: dispatched.length, delayed: delayed.length, failed },
      'runs of dead or blocked workers recovered: dispatched, delayed, or failed after too many losses',
    );
    await queue.add(dispatched);
    await announceEnds(redis, failed, 'failed');
  }

  return {
    name: NAME,
    intervalMs: INTERVAL_MS,
    timeLimitMs: TIME_LIMIT_MS,
    isWanted: () => lease.isHeld() || (lease.isNear() && passesAsDeputy++ % PASSES_PER_READING === 0),
    async run(signal) {
      await watch();
      if (!lease.isHeld()) return;
      const holding = await findHoldingWorkers(db);
      const lost = holding
        .filter((id) => liveness.isDead(id) || liveness.isBlocked(id))
        .map((id) => ({ id, blockingRun: liveness.blockingRunOf(id) }));
      if (lost.length === 0) return;
      const lostIds = lost.map(({ id }) => id);
      await processRows(
        {
          find: (page) => findRunsOfWorkers(db, lostIds, page),
          idOf: (id) => id,
          act: async (ids) => [await recoverRuns(db, lost, ids)],
          onDone: onRecovered,
          maxRows: BATCH,
          budgetMs: TIME_LIMIT_MS / 2,
        },
        { badRows, signal, isUnavailable: isStoreUnavailable },
      );
    },
  };
}

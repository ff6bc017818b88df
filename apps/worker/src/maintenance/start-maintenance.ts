import { isStoreUnavailable } from '@deckhand/db';
import { createLiveness, HEARTBEAT_LIFETIME_MS } from '@deckhand/queue';
import type { OutputStore } from '@deckhand/outputs';
import type { DatabaseClock } from '../database-clock.js';
import type { ActiveRuns } from '../session/active-runs.js';
import { type PeriodicTask, runPeriodically, type TaskObserver, TaskTimeLimitError } from '../run-periodically.js';
import { createStorageCounting } from './count-storage.js';
import { createWorkspaceDeletion } from './delete-workspaces.js';
import { createChildFinishing } from './finish-children.js';
import type { HeldBackRuns } from './held-back-runs.js';
import { createIndexing } from './index-runs.js';
import type { MaintenanceContext } from './maintenance-context.js';
import type { MaintenanceLease } from './maintenance-lease.js';
import { createKeyPruning } from './prune-idempotency-keys.js';
import { createDeadWorkerRecovery } from './recover-dead-workers.js';
import { createLostJobRecovery } from './recover-lost-jobs.js';
import { createStatisticsRefresh } from './refresh-statistics.js';
import { createHeldBackRelease, createSlotCounting } from './release-held-back.js';
import { createUnknownRunRelease } from './release-unknown-runs.js';
import { createRetention } from './retention.js';
import { createFiring, FIRING_LIMIT_MS } from './schedules/create-firing.js';
import { createChildStopping } from './stop-children.js';
import { createOutputSweep } from './sweep-outputs.js';
import { createQueueTidying } from './tidy-queue.js';
import { createTimeOuts } from './time-out-runs.js';
import { createWaking } from './wake-resting-runs.js';

/** Between two renewals of the lease, in ms: the lease outlives several that fail. */
const LEASE_INTERVAL_MS = 500;
const LEASE_TIME_LIMIT_MS = 3_000;
/** Between two comparisons of this process's clock with the database's, in ms. */
const CLOCK_INTERVAL_MS = 5_000;
const CLOCK_TIME_LIMIT_MS = 10_000;
/** Between the first passes of two tasks, in ms: together they would take every connection of the pool. */
const STAGGER_MS = 37;

/** What belongs to this worker, and not to the whole instance. */
export interface OwnParts {
  readonly workerId: string;
  readonly active: ActiveRuns;
  readonly clock: DatabaseClock;
  readonly lease: MaintenanceLease;
  readonly heldBack: HeldBackRuns;
  readonly outputs: OutputStore;
}

/** The maintenance that a worker does. */
export interface Maintenance {
  /** Wakes resting runs now instead of in the next pass, with or without the lease. */
  wake(): Promise<void>;
  /** Begins no pass any more. */
  stop(): void;
}

/**
 * Starts the maintenance tasks. Each runs by itself: one that fails or hangs stops no other. Most of them run only on
 * the worker that holds the lease; all they change is changed by conditional writes, so two at once, or a late one, do
 * no harm.
 */
export function startMaintenance(context: MaintenanceContext, own: OwnParts): Maintenance {
  const { db, redis, queue, logger, metrics } = context;
  const { lease, clock } = own;
  const liveness = createLiveness(HEARTBEAT_LIFETIME_MS);
  const waking = createWaking(context);
  const firing = createFiring({
    db,
    redis,
    queue,
    logger,
    hasLease: () => Promise.resolve(lease.isHeld()),
    onStarted: (lateSeconds) => {
      context.runs.accepted('schedule');
      metrics.scheduleFired(lateSeconds);
    },
    onBadRow({ workflowId, nodeId }, err) {
      metrics.badRow('fire_schedules');
      logger.error({ err, workflowId, nodeId }, 'a schedule could not be fired and is held back');
    },
    now: clock.now,
  });

  /** Done by every worker. */
  const everywhere: readonly PeriodicTask[] = [
    {
      name: 'compare_clocks',
      intervalMs: CLOCK_INTERVAL_MS,
      timeLimitMs: CLOCK_TIME_LIMIT_MS,
      run: () => clock.measure(),
    },
    {
      name: 'renew_lease',
      intervalMs: LEASE_INTERVAL_MS,
      timeLimitMs: LEASE_TIME_LIMIT_MS,
      run: () => lease.renew(),
    },
    createDeadWorkerRecovery(context, { liveness, lease }),
    createUnknownRunRelease(context, own),
  ];
  /** Done by the holder of the lease. */
  const leased: readonly PeriodicTask[] = [
    createLostJobRecovery(context, liveness),
    waking,
    createChildFinishing(context),
    createTimeOuts(context),
    createChildStopping(context),
    createHeldBackRelease(context, own.heldBack),
    createSlotCounting(context),
    { name: 'fire_schedules', intervalMs: 1_000, timeLimitMs: FIRING_LIMIT_MS, run: () => firing.fire() },
    createStorageCounting(context),
    createStatisticsRefresh(context),
    createIndexing(context),
    createKeyPruning(context),
    createRetention(context),
    createWorkspaceDeletion(context),
    createQueueTidying(queue),
  ];
  /** Done by the holder of the lease; the store that it waits for may be another one than all else needs. */
  const sweep = createOutputSweep(own.outputs);

  const onLease = (task: PeriodicTask): PeriodicTask => ({ ...task, isWanted: () => lease.isHeld() });
  /** Perhaps only this worker cannot reach the database: whoever fails lets another try. */
  const yielding: TaskObserver = {
    passed: metrics.passed,
    failed(task, error) {
      metrics.failed(task, error);
      if (!lease.isHeld() || !(isStoreUnavailable(error) || error instanceof TaskTimeLimitError)) return;
      lease.letOthersTry().catch((err: unknown) => logger.debug({ err }, 'the lease could not be given up'));
    },
  };
  const runs = [
    ...[...everywhere, ...leased.map(onLease)].map((task) => ({ task, observer: yielding })),
    { task: onLease(sweep), observer: metrics },
  ];
  for (const { task } of runs) metrics.begin(task.name);
  const stops = runs.map(({ task, observer }, index) =>
    runPeriodically(task, { logger, observer, delayMs: index * STAGGER_MS }),
  );
  return {
    wake: () => waking.run(new AbortController().signal),
    stop() {
      for (const stop of stops) stop();
      firing.close();
    },
  };
}

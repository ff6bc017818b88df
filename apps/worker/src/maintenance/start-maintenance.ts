import { isStoreUnavailable, type RerunChecks } from '@deckhand/db';
import { createLiveness, HEARTBEAT_LIFETIME_MS, type Liveness } from '@deckhand/queue';
import type { Archive, FileStore, OutputStore } from '@deckhand/outputs';
import type { DatabaseClock } from '../database-clock.ts';
import type { EventDeliverer } from '../events/deliver-events.ts';
import type { EventMetrics } from '../events/event-metrics.ts';
import type { ActiveRuns } from '../session/active-runs.ts';
import { type PeriodicTask, runPeriodically, type TaskObserver, TaskTimeLimitError } from '../run-periodically.ts';
import { createBackgroundTasks, createFileSweep, createOutputSweep } from './background-tasks.ts';
import { createBulkActions } from './bulk-actions.ts';
import { createWorkspaceDeletion } from './delete-workspaces.ts';
import { createEventDelivery, createEventTidying } from './deliver-events.ts';
import { createChildFinishing } from './finish-children.ts';
import type { HeldBackRuns } from './held-back-runs.ts';
import { createIndexing } from './index-runs.ts';
import type { MaintenanceContext } from './maintenance-context.ts';
import type { MaintenanceLease } from './maintenance-lease.ts';
import { createPartitionDropping } from './drop-partitions.ts';
import { createDeadWorkerRecovery } from './recover-dead-workers.ts';
import { createLostJobRecovery } from './recover-lost-jobs.ts';
import { createHeldBackRelease, createSlotCounting } from './release-held-back.ts';
import type { KeyRelease } from './release-keys.ts';
import { createUnknownRunRelease } from './release-unknown-runs.ts';
import { createRetention } from './retention.ts';
import { createFiring, type Firing, FIRING_LIMIT_MS } from './schedules/fire-schedules.ts';
import { createErrorWorkflowStarting } from './start-error-workflows.ts';
import { createLockRelease } from './release-locks.ts';
import { createChildStopping } from './stop-children.ts';
import { createEventMatching } from './match-events.ts';
import { createTimeOuts } from './time-out-runs.ts';
import { createWaking } from './wake-resting-runs.ts';

/** Interval of renewals of the lease, in ms: the lease outlives several failures. */
const LEASE_INTERVAL_MS = 500;
const LEASE_TIME_LIMIT_MS = 3_000;
/** Interval of the comparisons of this process's clock with the database's, in ms. */
const CLOCK_INTERVAL_MS = 5_000;
const CLOCK_TIME_LIMIT_MS = 10_000;
/** An idle worker that does not hold the lease soon compares once in so many passes. */
const IDLE_CLOCK_PASSES = 12;
/** Delay between the first passes of two tasks, in ms: together they would need every connection of the pool. */
const STAGGER_MS = 37;

/** Parts of this worker that its maintenance uses. */
export interface OwnParts {
  readonly workerId: string;
  readonly active: ActiveRuns;
  readonly clock: DatabaseClock;
  readonly lease: MaintenanceLease;
  readonly heldBack: HeldBackRuns;
  readonly keyRelease: KeyRelease;
  readonly outputs: OutputStore;
  readonly files: Pick<FileStore, 'read' | 'sweep'>;
  /** Where partitions are copied before they are dropped; undefined if they are not. */
  readonly archive?: Archive | undefined;
  readonly mayReach: RerunChecks['mayReach'];
  readonly events: { readonly deliverer: EventDeliverer; readonly metrics: EventMetrics };
}

/** The maintenance tasks of a worker. */
export interface Maintenance {
  /** Wakes resting runs that are due, without waiting for the next pass and with or without the lease. */
  wake(): Promise<void>;
  /** Matches new events without waiting for the next pass, if this worker holds the lease. */
  matchEvents(): void;
  /** Stops all tasks: no pass begins any more. */
  stop(): void;
}

/**
 * Starts the maintenance tasks. They are independent: a task that fails or hangs does not stop the others. Most of them
 * run only on the worker that holds the lease. They change data by conditional writes only, so a task that runs twice
 * or late does no harm.
 */
export function startMaintenance(context: MaintenanceContext, own: OwnParts): Maintenance {
  const { logger, metrics } = context;
  const { lease } = own;
  const liveness = createLiveness(HEARTBEAT_LIFETIME_MS);
  const waking = createWaking(context);
  const eventMatching = createEventMatching(context, lease.isHeld);
  const firing = createFiring({
    ...context,
    hasLease: () => Promise.resolve(lease.isHeld()),
    onStarted: (lateSeconds) => metrics.scheduleFired(lateSeconds),
    onBadRow({ workflowId, nodeId }, err) {
      metrics.badRow('fire_schedules');
      logger.error({ err, workflowId, nodeId }, 'failed to fire a schedule, held it back');
    },
    now: own.clock.now,
  });

  const onLease = (task: PeriodicTask): PeriodicTask => ({ ...task, isWanted: () => lease.isHeld() });
  const ofHolder = [waking, ...eventMatching.tasks, ...tasksOfHolder(context, own, { liveness, firing })];
  const yielding = yieldOnFailure(context, lease);
  const runs = [
    ...[...tasksOfAll(context, own, liveness), ...ofHolder.map(onLease)].map((task) => ({ task, observer: yielding })),
    ...keepingTasks(context, own).map((task) => ({ task: onLease(task), observer: metrics })),
  ];
  for (const { task } of runs) metrics.begin(task.name);
  const stops = runs.map(({ task, observer }, index) =>
    runPeriodically(task, { logger, observer, delayMs: index * STAGGER_MS }),
  );
  return {
    wake: () => waking.run(new AbortController().signal),
    matchEvents() {
      if (lease.isHeld()) eventMatching.matchNow();
    },
    stop() {
      for (const stop of stops) stop();
      firing.close();
      eventMatching.close();
    },
  };
}

/** Releases the lease after a failure: perhaps only this worker cannot reach the database. */
function yieldOnFailure(
  { metrics, logger }: Pick<MaintenanceContext, 'metrics' | 'logger'>,
  lease: MaintenanceLease,
): TaskObserver {
  return {
    passed: metrics.passed,
    failed(task, error) {
      metrics.failed(task, error);
      if (!lease.isHeld() || !(isStoreUnavailable(error) || error instanceof TaskTimeLimitError)) return;
      lease.letOthersTry().catch((err: unknown) => logger.debug({ err }, 'failed to release the maintenance lease'));
    },
  };
}

/** Creates the tasks of every worker. */
function tasksOfAll(context: MaintenanceContext, own: OwnParts, liveness: Liveness): PeriodicTask[] {
  const { active, clock, lease } = own;
  let idlePasses = 0;
  return [
    {
      name: 'compare_clocks',
      intervalMs: CLOCK_INTERVAL_MS,
      timeLimitMs: CLOCK_TIME_LIMIT_MS,
      isWanted: () => lease.isNear() || active.size > 0 || idlePasses++ % IDLE_CLOCK_PASSES === 0,
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
}

/** Creates tasks of the holder of the lease. */
function tasksOfHolder(
  context: MaintenanceContext,
  own: OwnParts,
  { liveness, firing }: { readonly liveness: Liveness; readonly firing: Firing },
): PeriodicTask[] {
  const isIdle = (): boolean => own.active.size === 0;
  return [
    createLostJobRecovery(context, liveness),
    createChildFinishing(context),
    createTimeOuts(context),
    createErrorWorkflowStarting(context),
    createChildStopping(context),
    createHeldBackRelease(context, own.heldBack),
    own.keyRelease.task(context),
    createSlotCounting(context),
    createLockRelease(context),
    { name: 'fire_schedules', intervalMs: 1_000, timeLimitMs: FIRING_LIMIT_MS, run: () => firing.fire() },
    createBulkActions(context, { isIdle, mayReach: own.mayReach }),
    ...createBackgroundTasks(context),
    createIndexing(context, isIdle),
    createRetention(context, { archives: own.archive !== undefined, isIdle }),
    createWorkspaceDeletion(context),
    createEventDelivery(own.events.deliverer),
    createEventTidying(context, own.events.metrics),
  ];
}

/**
 * Creates the tasks of the holder of the lease that do not release it on errors: these may come from the object store,
 * or from a drop that takes long and that another worker would begin again.
 */
function keepingTasks(context: MaintenanceContext, own: OwnParts): PeriodicTask[] {
  return [createOutputSweep(own.outputs), createFileSweep(own.files), createPartitionDropping(context, own)];
}

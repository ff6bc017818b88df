import { createInputChecker } from '@deckhand/nodes';
import { readPoolUse } from '@deckhand/db';
import { openRunConsumer } from '@deckhand/queue';
import { addPoolMetrics } from '@deckhand/runtime';
import { AsyncLocalStorage } from 'node:async_hooks';
import { announceStops } from './announce-runs.ts';
import { createMeteredWriter } from './checkpoints/checkpoint-writer.ts';
import { createClaimHealth } from './consume/worker-health.ts';
import { consumeJobs } from './consume/consume-jobs.ts';
import { reportState } from './consume/worker-state.ts';
import { createEventMetrics } from './events/event-metrics.ts';
import { createWorkerDeliverer } from './events/worker-deliverer.ts';
import { joinFleet } from './join-fleet.ts';
import { createAlarm } from './maintenance/alarm.ts';
import { createHeldBackRuns } from './maintenance/held-back-runs.ts';
import { createMaintenanceMetrics } from './maintenance/maintenance-metrics.ts';
import { createKeyRelease } from './maintenance/release-keys.ts';
import { startMaintenance } from './maintenance/start-maintenance.ts';
import { addLoadMetrics, createWorkerMetrics } from './metrics.ts';
import { createActiveRuns } from './session/active-runs.ts';
import { haltLateRuns } from './session/halt-late-runs.ts';
import { obeyControl } from './session/obey-control.ts';
import { createReachCheck } from './session/reuse-records.ts';
import { startRunSession } from './session/run-session.ts';
import { createSessionParts } from './session/session-parts.ts';
import { createVersions } from './session/versions.ts';
import { connectStores } from './stores.ts';
import { runContext } from './watchdog/run-context.ts';
import type { WorkerOptions } from './worker-options.ts';

/** How long attempts to deliver events may continue when the worker drains, in ms: others are repeated elsewhere. */
const EVENT_GRACE_MS = 2_000;

/** A running worker. */
export interface Worker {
  /** Takes no more jobs, lets nodes in flight finish within the grace period, releases the other runs, and stops. */
  drain(): Promise<void>;
  /** Returns whether the worker takes jobs. */
  readonly isConsuming: () => boolean;
  /**
   * Fails the run whose code threw an uncaught error. Must be called in the async context of that code.
   * @returns false if the error belongs to no run that this worker holds: the process cannot continue.
   */
  readonly survives: (error: unknown) => boolean;
  /** Returns the number of checkpoints written so far, including failed attempts: it grows while the worker works. */
  readonly checkpointsWritten: () => number;
}

/** Starts a worker: composes its parts. Resolves when it takes jobs. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { id, db, logger, concurrency, outputs, files, registry, memory } = options;
  const stores = await connectStores(options);
  const { redis, queue, shard, clock } = stores;
  const active = createActiveRuns({ onEmpty: options.onEmpty });
  const { lease, standby, watchdog } = joinFleet(options, stores, active);

  const metrics = createWorkerMetrics(registry);
  addPoolMetrics(registry, () => readPoolUse(db));
  addLoadMetrics(registry, {
    activeRuns: () => active.size,
    concurrency,
    isStandby: standby.isStandingBy,
    blockedSeconds: watchdog.blockedSeconds,
  });
  const leaseFacts = { isLeaseHeld: lease.isHeld, clockOffsetMs: clock.offsetMs };
  const maintenanceMetrics = createMaintenanceMetrics(registry, leaseFacts);
  const eventMetrics = createEventMetrics(registry);

  const onReleased = (runs: number): void => maintenanceMetrics.acted('held_back', runs);
  const heldBack = createHeldBackRuns({ db, queue, onReleased });
  const keyRelease = createKeyRelease({ db, queue, onReleased });
  const onStopped = (executionIds: readonly string[]): Promise<void> =>
    announceStops({ redis, runs: metrics.runs, logger }, executionIds);
  const health = createClaimHealth();
  const versions = createVersions(stores, { nodeTypes: options.nodeTypes, health });
  const writer = createMeteredWriter(stores, { outputs, metrics, health, logger });
  const deliverer = createWorkerDeliverer(options, stores, eventMetrics);
  const maintenance = startMaintenance(
    {
      ...{ db, redis, queue, logger, checkInput: createInputChecker(options.schemas) },
      ...{ metrics: maintenanceMetrics, runs: metrics.runs },
      unclaimedAfterMs: options.unclaimedAfterMs,
    },
    {
      ...{ workerId: id, active, clock, lease, heldBack, keyRelease, outputs, files, archive: options.archive },
      events: { deliverer, metrics: eventMetrics },
      mayReach: createReachCheck({ loadVersion: versions.load, readDefinition: versions.readDefinition }),
    },
  );
  // Detached from the context of the run whose session sets the alarm: it wakes other runs.
  const wake = AsyncLocalStorage.bind(() => {
    // The holder of the maintenance lease wakes runs that this worker could not wake.
    maintenance.wake().catch((err: unknown) => logger.warn({ err }, 'failed to wake resting runs, retrying'));
  });
  const alarm = createAlarm(wake, clock.now);
  const wakeAt = (time: number): void => alarm.set(time);
  const shared = { active, health, versions, writer, metrics, heldBack, keyRelease, onStopped, wakeAt };
  const sessionParts = createSessionParts(options, stores, shared);

  const { loader } = sessionParts;
  await obeyControl(stores.subscriber, { active, loader, logger, onEvents: () => maintenance.matchEvents() });
  const stopDeadlines = haltLateRuns(active, { now: clock.now, logger });
  const consumerOptions = { redisUrl: shard.redisUrl, queue: shard.queue, onError: stores.onQueueError };
  const consumption = consumeJobs({
    consumer: await openRunConsumer({ ...consumerOptions, workerId: id }),
    standby,
    logger,
    room: () => (memory.isTight() ? 0 : concurrency - active.size),
    async untilRoom() {
      await active.fewerThan(concurrency);
      await memory.untilRoom();
    },
    start: async (run) => {
      await startRunSession(run, sessionParts).claimed;
    },
  });
  const state = reportState({ consumption, health, logger, send: (next) => watchdog.setState(next) });
  logger.info({ workerId: id, concurrency }, 'ready');

  return {
    isConsuming: () => state.current() === 'consuming',
    survives(err) {
      const executionId = runContext.getStore();
      const run = executionId === undefined ? undefined : active.get(executionId);
      if (!run) return false;
      logger.error({ err, executionId }, 'failed a run because of an uncaught error');
      run.halt('uncaughtError');
      return true;
    },
    checkpointsWritten: writer.written,
    async drain() {
      state.drains();
      const consumptionClosed = consumption.close();
      const deliveriesStopped = deliverer.stop(EVENT_GRACE_MS);
      active.pauseAll();
      await lease.giveUp().catch(() => undefined);
      await active.emptied(options.graceMs);
      for (const run of active.all()) run.halt('draining');
      await active.emptied(1_000);
      await deliveriesStopped;
      stores.giveUp();
      await consumptionClosed;
      for (const part of [writer, heldBack, keyRelease, sessionParts.keeper]) await part.idle();
      stopDeadlines();
      for (const part of [state, maintenance]) part.stop();
      alarm.close();
      await watchdog.leave();
      await stores.close();
    },
  };
}

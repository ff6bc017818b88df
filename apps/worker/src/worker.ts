import { concurrencyOf } from '@deckhand/contracts';
import {
  acceptChild,
  endNewWaits,
  endWaitsOfParents,
  type Claim,
  type Database,
  endDueWaits,
  loadIterations,
  leaseEventLanes,
  loadNodeRuns,
  loadOpenNodeRuns,
  readDefinition,
  readPoolUse,
  readSealedCredential,
  recordEventAttempts,
  readDatabaseTime,
  readVariables,
  readVersionWithData,
  releaseEventLanes,
  releaseExecutions,
  type StoredNodeRun,
  takeEventDeliveries,
  writeCheckpoints,
} from '@deckhand/db';
import type { NodeServices, NodeTypes } from '@deckhand/engine';
import {
  connectRedis,
  createExecutionCounter,
  createWakeUps,
  onControl,
  openQueueShards,
  openRunConsumer,
  publishChanges,
  readRedisUrl,
  type RunChange,
  type WorkerState,
} from '@deckhand/queue';
import type { Archive, OutputStore } from '@deckhand/outputs';
import {
  addPoolMetrics,
  createBatcher,
  type Logger,
  type MemoryBudget,
  type SecretBox,
  type Tracing,
} from '@deckhand/runtime';
import { AsyncLocalStorage } from 'node:async_hooks';
import { hostname } from 'node:os';
import type { Registry } from 'prom-client';
import { type ActiveRun, createActiveRuns } from './session/active-runs.ts';
import { createAlarm } from './maintenance/alarm.ts';
import { createClaim } from './claims/claim-runs.ts';
import { createCheckpointWriter } from './checkpoints/checkpoint-writer.ts';
import { createClaimHealth } from './claims/claim-health.ts';
import { createAnswerLink } from './session/answer-link.ts';
import { createCompiledVersions } from './session/compiled-versions.ts';
import { loadOutputs, type NodeRunsWithOutputs, offloadOutputs } from './checkpoints/large-outputs.ts';
import { createCredentialOpener } from './session/open-credential.ts';
import { consumeJobs } from './consume/consume-jobs.ts';
import { createStandby } from './consume/standby.ts';
import { createEventDeliverer } from './events/deliver-events.ts';
import { createEventMetrics } from './events/event-metrics.ts';
import { createEventSender } from './events/send-event.ts';
import { createDatabaseClock } from './database-clock.ts';
import { sendAnswered, toQueued } from './maintenance/finish-children.ts';
import { announceStops } from './maintenance/maintenance-context.ts';
import { createMaintenanceLease } from './maintenance/maintenance-lease.ts';
import { createMaintenanceMetrics } from './maintenance/maintenance-metrics.ts';
import { startMaintenance } from './maintenance/start-maintenance.ts';
import { runPeriodically } from './run-periodically.ts';
import { createKeyRelease } from './maintenance/release-keys.ts';
import { createHeldBackRuns } from './maintenance/held-back-runs.ts';
import { addLoadMetrics } from './load-metrics.ts';
import { createWorkerMetrics } from './metrics.ts';
import { createRetryWhileUnavailable, isLogged } from './checkpoints/retry-while-unavailable.ts';
import { NeededOutputGoneError, readAnswers, readRecords } from './session/records.ts';
import { type RunNotifier, type SessionParts, startRunSession } from './session/run-session.ts';
import { createWorkflowStarter } from './session/start-workflows.ts';
import { createTrafficControl } from './session/traffic-control.ts';
import { createRecordsLoader } from './session/load-records.ts';
import { createReachCheck, createRecordsReader } from './session/reuse-records.ts';
import { limitKeyTransactions } from './session/key-transactions.ts';
import { createCallerResponses } from './session/caller-responses.ts';
import { createRunLocks } from './session/run-locks.ts';
import { createRunObserver } from './session/run-observer.ts';
import { currentRun } from './watchdog/run-context.ts';
import { startWatchdog } from './watchdog/watchdog.ts';

/** Maximum number of runs per checkpoint statement. */
const MAX_CHECKPOINT_BATCH = 200;
const DEADLINE_CHECK_MS = 250;
/** Interval of the health checks of consumption and claims, in ms. */
const STATE_CHECK_MS = 250;
const STATE_TIME_LIMIT_MS = 5_000;
/** How long attempts to deliver events may continue when the worker drains, in ms: others are repeated elsewhere. */
const EVENT_GRACE_MS = 2_000;

/** What a worker needs. */
export interface WorkerOptions {
  readonly id: string;
  readonly version: string;
  readonly db: Database;
  readonly redisUrl: string;
  /** URLs of the Redis servers of the queue's shards; by default there is one shard, in `redisUrl`. */
  readonly shardUrls?: readonly string[] | undefined;
  /** The shard whose jobs this worker takes. */
  readonly shard?: number | undefined;
  /** URL of the database, for the watchdog's own connection. */
  readonly databaseUrl: string;
  /** How long a run may block the event loop before the watchdog ends the process, in ms. */
  readonly maxBlockedMs: number;
  readonly nodeTypes: NodeTypes;
  /** Services of nodes; the worker adds those that need its stores. */
  readonly services: Omit<NodeServices, 'workflows' | 'locks' | 'responses' | 'traffic'>;
  /** The store of large outputs. */
  readonly outputs: OutputStore;
  /** The archive of dropped partitions; undefined without one. */
  readonly archive?: Archive | undefined;
  /** Opens the credentials of nodes. */
  readonly secretBox: SecretBox;
  /** PUBLIC_URL: where this instance is reached, without a slash at the end; undefined if it is not set. */
  readonly publicUrl?: string | undefined;
  /** The budget for data of runs. */
  readonly memory: MemoryBudget;
  /** Maximum number of runs that the worker holds at once. */
  readonly concurrency: number;
  /** How long nodes in flight may continue when the worker drains, in ms. */
  readonly graceMs: number;
  /** Called when no run is being claimed or held any more. */
  readonly onEmpty?: () => void;
  /** Called when an operator requests this worker to drain and exit. */
  readonly onDrainRequest?: () => void;
  readonly logger: Logger;
  /** The registry to which the worker adds its metrics. */
  readonly registry: Registry;
  /** Undefined if tracing is off. */
  readonly tracing?: Tracing | undefined;
}

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

/** Starts a worker. Resolves when it takes jobs. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { id, db, logger, concurrency, outputs, registry } = options;
  const redis = connectRedis(options.redisUrl, { role: 'producer' });
  const subscriber = connectRedis(options.redisUrl, { role: 'subscriber' });
  for (const connection of [redis, subscriber]) {
    connection.on('error', (err: Error) => logger.warn({ err: err.message }, 'Redis unavailable'));
  }
  const active = createActiveRuns({ onEmpty: options.onEmpty });
  const metrics = createWorkerMetrics(registry);
  addPoolMetrics(registry, () => readPoolUse(db));
  /** Aborted when the grace period of draining is over. Recovery takes care of what could not be written by then. */
  const ended = new AbortController();
  const retry = createRetryWhileUnavailable({ ended: ended.signal, logger });
  const clock = createDatabaseClock(() => readDatabaseTime(db));
  await retry('clock', () => clock.measure());
  const lease = createMaintenanceLease({
    workerId: id,
    redis,
    clockOffsetMs: clock.offsetMs,
    onTaken: () => standby.becomeFirst(),
  });
  const maintenanceMetrics = createMaintenanceMetrics(registry, {
    isLeaseHeld: lease.isHeld,
    clockOffsetMs: clock.offsetMs,
  });
  const onQueueError = (err: Error): void => logger.debug({ err: err.message }, 'queue error');
  const { redisUrl, shardUrls } = options;
  const queue = openQueueShards({ redisUrl, redis, shardUrls, onError: onQueueError });
  const shard = queue.shard(options.shard ?? 0);
  const standby = createStandby({
    wakeUps: createWakeUps(shard.redis, { redisUrl: shard.redisUrl, onError: onQueueError }),
    isFirst: lease.isHeld,
    isNear: lease.isNear,
    hasShards: (shardUrls?.length ?? 1) > 1,
    onEnded: () => watchdog.takesJobs(),
  });
  let isDrainRequested = false;
  const watchdog = startWatchdog({
    worker: {
      id,
      host: hostname(),
      pid: process.pid,
      version: options.version,
      concurrency,
      startedAt: new Date(clock.now()).toISOString(),
    },
    redis: readRedisUrl(options.redisUrl),
    databaseUrl: options.databaseUrl,
    maxBlockedMs: options.maxBlockedMs,
    activeRuns: () => active.size,
    isStandby: standby.isStandingBy,
    onDeputyMissing: () => lease.deputyIsMissing(),
    onDrainRequested() {
      if (isDrainRequested) return;
      isDrainRequested = true;
      logger.info({ workerId: id }, 'drain requested by an operator');
      options.onDrainRequest?.();
    },
    logger,
  });
  let state: WorkerState = 'starting';
  const setState = (next: WorkerState): void => {
    state = next;
    watchdog.setState(next);
  };
  addLoadMetrics(registry, {
    activeRuns: () => active.size,
    concurrency,
    isStandby: standby.isStandingBy,
    blockedSeconds: watchdog.blockedSeconds,
  });
  const claims = createClaimHealth();

  let checkpointsWritten = 0;
  const writer = createCheckpointWriter({
    write(checkpoints) {
      checkpointsWritten += checkpoints.length;
      return metrics.timeCheckpoints(checkpoints, () => claims.watchWrite(() => writeCheckpoints(db, checkpoints)));
    },
    prepare: (checkpoint) => offloadOutputs(outputs, checkpoint),
    ended: ended.signal,
    onRetry: (err, attempt, kind) => {
      metrics.checkpointRetried();
      if (isLogged(attempt)) logger.warn({ err, attempt, kind }, 'checkpoints could not be written, retrying');
    },
    concurrency: 2,
    maxSize: MAX_CHECKPOINT_BATCH,
  });

  const heldBack = createHeldBackRuns({ db, queue, onReleased: (runs) => maintenanceMetrics.acted('held_back', runs) });

  const keyRelease = createKeyRelease({ db, queue, onReleased: (runs) => maintenanceMetrics.acted('held_back', runs) });

  const onStopped = (executionIds: readonly string[]): Promise<void> =>
    announceStops({ redis, runs: metrics.runs, logger }, executionIds);

  const announce = createBatcher<RunChange, undefined>({
    async flush(changes) {
      await publishChanges(redis, changes).catch((err: unknown) => {
        // Harmless: those who wait for a change also poll the database.
        logger.debug({ err }, 'changes could not be published');
      });
      return changes.map(() => undefined);
    },
    maxSize: 1_000,
    concurrency: 1,
  });

  async function release(run: Claim & { executionId: string }): Promise<void> {
    const released = await retry('release', () => releaseExecutions(db, id, [run]));
    await queue.add(released.flatMap(toQueued));
  }

  async function loadAnswers(run: ActiveRun): Promise<number | null> {
    const { waits, answerCount, nextDueInMs } = await retry('answers', () =>
      endDueWaits(db, run.executionId, run.openWaits()),
    );
    run.setAnswers(readAnswers(waits), answerCount);
    return nextDueInMs;
  }

  async function stopByEvents(executionId: string): Promise<boolean> {
    const ended = await retry('stopping events', () => endNewWaits(db, [executionId], { waitsForLocks: true }));
    await onStopped(ended.stopped);
    return ended.stopped.includes(executionId);
  }

  const eventMetrics = createEventMetrics(registry);
  const deliverer = createEventDeliverer({
    store: {
      lease: (times) => leaseEventLanes(db, { holder: id, ...times }),
      take: (lanes, minLeftMs) => takeEventDeliveries(db, { holder: id, lanes, minLeftMs }),
      release: () => releaseEventLanes(db, id),
      record: (results) => retry('event attempts', () => recordEventAttempts(db, results)),
    },
    send: createEventSender({
      http: options.services.http,
      secretBox: options.secretBox,
      publicUrl: options.publicUrl,
      now: clock.now,
    }),
    metrics: eventMetrics,
    logger,
  });
  const maintenance = startMaintenance(
    { db, redis, queue, logger, metrics: maintenanceMetrics, runs: metrics.runs },
    {
      workerId: id,
      active,
      clock,
      lease,
      heldBack,
      keyRelease,
      onStopped,
      outputs,
      archive: options.archive,
      events: { deliverer, metrics: eventMetrics },
      mayReach: (rerun) => createReachCheck({ loadVersion, readDefinition: readSource })(rerun),
    },
  );
  // Detached from the context of the run whose session sets the alarm: it wakes other runs.
  const wake = AsyncLocalStorage.bind(() => {
    // The holder of the maintenance lease wakes runs that this worker could not wake.
    maintenance.wake().catch((err: unknown) => logger.warn({ err }, 'resting runs could not be woken yet'));
  });
  const alarm = createAlarm(wake, clock.now);

  /**
   * Reads data that a run needs before its first checkpoint, watched by the claim health: without it, no run is
   * claimed.
   */
  const retryRead = <T>(what: string, act: () => Promise<T>): Promise<T> => retry(what, () => claims.watchRead(act));
  /** Claims runs, watched by the claim health. */
  const retryWrite = <T>(what: string, act: () => Promise<T>): Promise<T> => retry(what, () => claims.watchWrite(act));
  const readSource = (versionId: string): Promise<unknown> => retryRead('version', () => readDefinition(db, versionId));
  const loadVersion = createCompiledVersions(options.nodeTypes, readSource);
  const withOutputs = (read: () => Promise<StoredNodeRun[]>) =>
    retry('records', async () => loadOutputs(outputs, await read()));
  const loadRows = (executionId: string) => withOutputs(() => loadNodeRuns(db, executionId));
  const loadAllRows = async (read: Promise<NodeRunsWithOutputs>): Promise<readonly StoredNodeRun[]> => {
    const { rows, goneNodeId } = await read;
    if (goneNodeId !== undefined) throw new NeededOutputGoneError(goneNodeId);
    return rows;
  };

  const limited = limitKeyTransactions();
  const locks = createRunLocks({ db, queue, redis, retry, limited });
  const notifier: RunNotifier = {
    announce: (change) => void announce(change),
    freeLocks: (run) => locks.free(run),
    finishChildren: async (finished) => sendAnswered({ queue, redis }, await endWaitsOfParents(db, finished)),
    wakeAt: (time) => {
      alarm.set(time);
    },
  };
  const sessionParts: SessionParts = {
    workerId: id,
    active,
    claims: {
      claim: createClaim({ id, db, queue, retryRead, retryWrite, retry }),
      release,
      slotFreed: heldBack.slotFreed,
      keyFreed: keyRelease.keyFreed,
    },
    loader: {
      loadVersion,
      loadRecords: createRecordsLoader({
        all: loadRows,
        open: (executionId, iterations) => withOutputs(() => loadOpenNodeRuns(db, executionId, iterations)),
      }),
      loadIterations: async (executionId, wanted) =>
        readRecords(await loadAllRows(withOutputs(() => loadIterations(db, executionId, wanted)))),
      withReused: createRecordsReader({
        loadVersion,
        loadNodeRuns: (executionId) => loadAllRows(loadRows(executionId)),
        versionWithData: (executionId) => retry('source run', () => readVersionWithData(db, executionId)),
        readDefinition: readSource,
      }),
      loadAnswers,
      stopByEvents,
    },
    environment: {
      now: clock.now,
      services: {
        ...options.services,
        workflows: createWorkflowStarter({
          acceptChild: (request) =>
            retry('child', () =>
              concurrencyOf(request.options)
                ? limited(request.workflowId, () => acceptChild(db, request))
                : acceptChild(db, request),
            ),
          countExecution: createExecutionCounter(redis),
          queue,
          onStopped,
          onStarted: () => metrics.runs.accepted('workflow'),
        }),
        locks,
        traffic: createTrafficControl({ redis, logger }),
        responses: createCallerResponses({ db, announce: notifier.announce, retry }),
      },
      openCredential: createCredentialOpener({
        secretBox: options.secretBox,
        read: (run, credentialId) => retryRead('credential', () => readSealedCredential(db, run, credentialId)),
        publicUrl: options.publicUrl,
      }),
      answerLink: createAnswerLink(options),
      loadVariables: (workspaceId) => retryRead('variables', () => readVariables(db, workspaceId)),
    },
    writer,
    memory: options.memory,
    notifier,
    observe: createRunObserver(metrics, options.tracing),
    logger,
  };

  await onControl(subscriber, ({ type, executionIds }) => {
    if (type === 'events') maintenance.matchEvents();
    for (const executionId of executionIds) {
      const run = active.get(executionId);
      if (type === 'stop') run?.halt('fenced');
      if (type === 'pause') run?.pause();
      if (type === 'resume') run?.resume();
      if (type === 'answer' && run) {
        loadAnswers(run).catch((err: unknown) => logger.warn({ err, executionId }, 'answers could not be read yet'));
      }
    }
  });

  const timers = [
    runPeriodically(
      {
        name: 'deadlines',
        intervalMs: DEADLINE_CHECK_MS,
        timeLimitMs: DEADLINE_CHECK_MS,
        run() {
          const now = clock.now();
          for (const run of active.all()) if (run.deadlineAt() <= now) run.halt('timeout');
          return Promise.resolve();
        },
      },
      { logger },
    ),
  ];

  const consumption = consumeJobs({
    consumer: await openRunConsumer({
      redisUrl: shard.redisUrl,
      workerId: id,
      queue: shard.queue,
      onError: onQueueError,
    }),
    standby,
    logger,
    room: () => (options.memory.isTight() ? 0 : concurrency - active.size),
    async untilRoom() {
      await active.fewerThan(concurrency);
      await options.memory.untilRoom();
    },
    start: async (run) => {
      await startRunSession(run, sessionParts).claimed;
    },
  });
  setState('consuming');
  timers.push(
    runPeriodically(
      {
        name: 'state',
        intervalMs: STATE_CHECK_MS,
        timeLimitMs: STATE_TIME_LIMIT_MS,
        async run() {
          consumption.checkHealth();
          claims.poll();
          if (state === 'draining') return;
          if (claims.isHealthy()) consumption.resume();
          else consumption.pause();
          const next = consumption.isHealthy() && claims.isHealthy() ? 'consuming' : 'stalled';
          if (state === next) return;
          setState(next);
          logger.warn({ state, claims: claims.isHealthy() ? 'healthy' : 'failing' }, 'worker state changed');
        },
      },
      { logger },
    ),
  );
  logger.info({ workerId: id, concurrency }, 'ready');

  return {
    isConsuming: () => state === 'consuming',
    survives(err) {
      const executionId = currentRun();
      const run = executionId === undefined ? undefined : active.get(executionId);
      if (!run) return false;
      logger.error({ err, executionId }, 'run failed because of an uncaught error');
      run.halt('uncaughtError');
      return true;
    },
    checkpointsWritten: () => checkpointsWritten,
    async drain() {
      setState('draining');
      const consumptionClosed = consumption.close();
      const deliveriesStopped = deliverer.stop(EVENT_GRACE_MS);
      active.pauseAll();
      await lease.giveUp().catch(() => undefined);
      await active.emptied(options.graceMs);
      for (const run of active.all()) run.halt('draining');
      await active.emptied(1_000);
      await deliveriesStopped;
      ended.abort();
      await consumptionClosed;
      await writer.idle();
      await heldBack.idle();
      await keyRelease.idle();
      for (const stop of timers) stop();
      maintenance.stop();
      alarm.close();
      await watchdog.leave();
      await queue.close();
      redis.disconnect();
      subscriber.disconnect();
    },
  };
}

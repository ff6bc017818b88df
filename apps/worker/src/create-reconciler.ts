import {
  type Database,
  dispatchAgain,
  dispatchRunsOfDeadWorkers,
  findHoldingWorkers,
  findUnclaimed,
  foldStorageChanges,
  indexExecutions,
  pruneIdempotencyKeys,
  refreshStatistics,
  stopOrphans,
  timeOutRestingRuns,
} from '@deckhand/db';
import {
  HEARTBEAT_LIFETIME_MS,
  holdLease,
  publishChanges,
  publishControl,
  readFleet,
  RECONCILER_LEASE_KEY,
  type Redis,
  type RunQueue,
} from '@deckhand/queue';
import type { OutputStore } from '@deckhand/outputs';
import type { Logger } from '@deckhand/runtime';
import { createLiveness } from './liveness.js';
import type { WorkerMetrics } from './metrics.js';
import { applyRetention } from './retention.js';
import { reconcile, type ReconcilerParts, watchWorkers } from './reconciler.js';

/** Changes of stored bytes folded by one statement at most. */
const FOLD_BATCH = 5_000;
/** Finished runs made searchable by one statement. */
const INDEX_BATCH = 250;
/** How long a tick goes on making runs searchable, in ms: under load they wait, and are searched without an index. */
const INDEX_BUDGET_MS = 100;
/** Idempotency keys deleted by one tick at most. */
const PRUNE_BATCH = 5_000;
/** Objects deleted by one tick at most, which is what one request may name. */
const SWEEP_BATCH = 1_000;
/** Parents told by one transaction at most. */
const PARENTS_BATCH = 1_000;
/** The lease outlives a late tick, and is free again before a dead holder's runs are due. */
const LEASE_MS = 2_500;

/** What the reconciler of a worker works with. */
export interface ReconcilerOptions {
  /** The worker's id. */
  readonly id: string;
  readonly db: Database;
  readonly redis: Redis;
  readonly queue: RunQueue;
  readonly outputs: OutputStore;
  readonly logger: Logger;
  readonly metrics: Pick<WorkerMetrics, 'runs' | 'reconciled' | 'reconcilerPassed'>;
  /** Dispatches resting runs whose time has come. */
  readonly wake: () => Promise<void>;
  /** Lets parents go on whose children are finished. */
  readonly finishChildren: (finished: { limit: number }) => Promise<void>;
}

/** What a worker does again and again for all runs, not only its own. */
export interface Reconciler {
  /** Finds the runs of dead workers: the more often, the sooner they go on. */
  watchWorkers(): Promise<void>;
  /** Finds all else that should be moving but is not. */
  reconcile(): Promise<void>;
  /** Whether this worker holds the lease, which it takes or renews. */
  holdLease(): Promise<boolean>;
}

/** Puts the reconciler together. */
export function createReconciler({
  id,
  db,
  redis,
  queue,
  outputs,
  logger,
  metrics,
  wake,
  finishChildren,
}: ReconcilerOptions): Reconciler {
  const liveness = createLiveness(HEARTBEAT_LIFETIME_MS);
  const parts: ReconcilerParts = {
    liveness,
    readFleet: () => readFleet(redis),
    holdLease: () => holdLease(redis, RECONCILER_LEASE_KEY, id, LEASE_MS),
    findHoldingWorkers: () => findHoldingWorkers(db),
    async dispatchRunsOfDeadWorkers(workerIds, limit) {
      const runs = await dispatchRunsOfDeadWorkers(db, workerIds, limit);
      metrics.reconciled('dead_worker', runs.length);
      return runs;
    },
    findUnclaimed: (wanted) => findUnclaimed(db, wanted),
    jobStates: (runs) => queue.jobStates(runs),
    async dispatchAgain(lost) {
      const runs = await dispatchAgain(db, lost);
      metrics.reconciled('lost_job', runs.length);
      return runs;
    },
    async timeOutRestingRuns(limit) {
      const ended = await timeOutRestingRuns(db, limit);
      metrics.reconciled('time_out', ended.length);
      metrics.runs.finished('timeout', ended.length);
      return ended;
    },
    wake,
    finishChildren: () => finishChildren({ limit: PARENTS_BATCH }),
    async foldStorage() {
      while ((await foldStorageChanges(db, FOLD_BATCH)) === FOLD_BATCH);
    },
    refreshStatistics: () => refreshStatistics(db),
    async indexFinished() {
      const end = performance.now() + INDEX_BUDGET_MS;
      while ((await indexExecutions(db, INDEX_BATCH)) === INDEX_BATCH && performance.now() < end);
    },
    async stopOrphans() {
      const executionIds = await stopOrphans(db, PARENTS_BATCH);
      metrics.reconciled('orphan', executionIds.length);
      metrics.runs.finished('stopped', executionIds.length);
      if (executionIds.length > 0) await publishControl(redis, { type: 'stop', executionIds });
      return executionIds;
    },
    sweepOutputs: () => outputs.sweep(SWEEP_BATCH),
    pruneKeys: () => pruneIdempotencyKeys(db, PRUNE_BATCH),
    async applyRetention() {
      const pruned = await applyRetention(db);
      metrics.reconciled('pruned_data', pruned.data);
      metrics.reconciled('pruned_run', pruned.runs);
      if (pruned.data + pruned.runs > 0) logger.info(pruned, 'retention took data and runs');
    },
    addJobs: (runs) => queue.add(runs),
    announce: (executionIds) => publishChanges(redis, executionIds),
    logger,
    now: () => performance.now(),
  };
  return {
    watchWorkers: () => watchWorkers(parts),
    async reconcile() {
      const startedAt = performance.now();
      if (await reconcile(parts)) metrics.reconcilerPassed((performance.now() - startedAt) / 1_000);
    },
    holdLease: parts.holdLease,
  };
}

import {
  type Database,
  dispatchAgain,
  dispatchRunsOfDeadWorkers,
  findHoldingWorkers,
  findUnclaimed,
  timeOutRestingRuns,
} from '@deckhand/db';
import {
  giveUpLease,
  HEARTBEAT_LIFETIME_MS,
  holdLease,
  publishChanges,
  readFleet,
  RECONCILER_LEASE_KEY,
  type Redis,
  type RunQueue,
} from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';
import { createLiveness } from './liveness.js';
import type { WorkerMetrics } from '../metrics.js';
import { reconcile, type ReconcilerParts, watchWorkers } from './reconciler.js';
import { stopChildren } from './stop-children.js';

/** Waits for children that are ended by one transaction at most. */
const PARENTS_BATCH = 1_000;
/** The lease outlives a late tick, and is free again before a dead holder's runs are due. */
const LEASE_MS = 2_500;
/** How long a worker that failed at it leaves the lease to others, in ms: each of them asks for it twice a second. */
const HOLD_OFF_MS = 1_500;

/** What the reconciler of a worker works with. */
export interface ReconcilerOptions {
  /** The worker's id. */
  readonly id: string;
  readonly db: Database;
  readonly redis: Redis;
  readonly queue: RunQueue;
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
  /** Whether this worker holds the lease, which it takes or renews. Never, once it has left. */
  holdLease(): Promise<boolean>;
  /** Gives the lease up for good, so that another worker takes over at once. @throws when Redis is away. */
  leave(): Promise<void>;
}

/** Puts the reconciler together. */
export function createReconciler({
  id,
  db,
  redis,
  queue,
  logger,
  metrics,
  wake,
  finishChildren,
}: ReconcilerOptions): Reconciler {
  const liveness = createLiveness(HEARTBEAT_LIFETIME_MS);
  let hasLeft = false;
  let holdsOffUntil = 0;

  function hold(): Promise<boolean> {
    if (hasLeft || performance.now() < holdsOffUntil) return Promise.resolve(false);
    return holdLease(redis, RECONCILER_LEASE_KEY, id, LEASE_MS);
  }

  /** Perhaps only this worker cannot reach the database: whoever fails lets another try. */
  async function attempt<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      holdsOffUntil = performance.now() + HOLD_OFF_MS;
      await giveUpLease(redis, RECONCILER_LEASE_KEY, id).catch(() => undefined);
      throw error;
    }
  }

  const parts: ReconcilerParts = {
    liveness,
    readFleet: () => readFleet(redis),
    holdLease: hold,
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
    stopChildren: () => stopChildren({ db, redis, metrics }),
    addJobs: (runs) => queue.add(runs),
    announce: (executionIds, ended) =>
      publishChanges(
        redis,
        executionIds.map((executionId) => ({ executionId, ended })),
      ),
    logger,
    now: () => performance.now(),
  };
  return {
    watchWorkers: () => attempt(() => watchWorkers(parts)),
    async reconcile() {
      const startedAt = performance.now();
      if (await attempt(() => reconcile(parts))) metrics.reconcilerPassed((performance.now() - startedAt) / 1_000);
    },
    holdLease: hold,
    leave() {
      hasLeft = true;
      return giveUpLease(redis, RECONCILER_LEASE_KEY, id);
    },
  };
}

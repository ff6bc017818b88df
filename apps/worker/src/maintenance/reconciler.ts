import type { FinishedStatus } from '@deckhand/contracts';
import type { DispatchedExecution } from '@deckhand/db';
import type { FleetEntry, JobState } from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';
import type { Liveness } from './liveness.js';

/** A run that nobody has claimed after this long is looked at, in ms. */
const UNCLAIMED_AFTER_MS = 2_000;
/** A job that was taken this long ago and whose run is still unclaimed was taken by a worker that died, in ms. */
const TAKEN_AFTER_MS = 3_000;
/** Runs handled by one statement at most. */
const BATCH = 1_000;
/** Batches of one tick at most: the rest has its turn in the next. */
const ROUNDS_MAX = 20;

/** What the reconciler stands on. Everything it changes is a conditional write: two at once, or a late one, do no harm. */
export interface ReconcilerParts {
  readonly liveness: Liveness;
  readonly readFleet: () => Promise<readonly FleetEntry[]>;
  /** Takes or renews the lease; false while another worker holds it. */
  readonly holdLease: () => Promise<boolean>;
  readonly findHoldingWorkers: () => Promise<readonly string[]>;
  readonly dispatchRunsOfDeadWorkers: (workerIds: readonly string[], limit: number) => Promise<DispatchedExecution[]>;
  readonly findUnclaimed: (options: { olderThanMs: number; limit: number }) => Promise<DispatchedExecution[]>;
  readonly jobStates: (runs: readonly DispatchedExecution[]) => Promise<JobState[]>;
  readonly dispatchAgain: (runs: readonly DispatchedExecution[]) => Promise<DispatchedExecution[]>;
  readonly timeOutRestingRuns: (limit: number) => Promise<readonly string[]>;
  /** Dispatches resting runs whose time has come. */
  readonly wake: () => Promise<void>;
  /** Lets parents go on whose children are finished. */
  readonly finishChildren: () => Promise<void>;
  /** Stops runs whose parents were stopped, or ended without them, and notifies who holds them. */
  readonly stopChildren: () => Promise<void>;
  readonly addJobs: (runs: readonly DispatchedExecution[]) => Promise<void>;
  readonly announce: (executionIds: readonly string[], ended: FinishedStatus) => Promise<void>;
  readonly logger: Logger;
  /** A steady clock, in ms. */
  readonly now: () => number;
}

/**
 * One look at the fleet, for runs whose worker died. Every worker watches, so that whoever gets the lease next already knows
 * who is silent; only the holder of the lease acts.
 */
export async function watchWorkers(parts: ReconcilerParts): Promise<void> {
  parts.liveness.observe(await parts.readFleet(), parts.now());
  if (await parts.holdLease()) await takeFromDeadWorkers(parts);
}

/**
 * One look for all else that should be moving but is not, by the holder of the lease.
 * @returns whether it looked: false while another worker holds the lease.
 */
export async function reconcile(parts: ReconcilerParts): Promise<boolean> {
  if (!(await parts.holdLease())) return false;
  await dispatchLostRuns(parts);
  await parts.wake();
  await parts.finishChildren();
  const ended = await parts.timeOutRestingRuns(BATCH);
  if (ended.length > 0) {
    parts.logger.info({ runs: ended.length }, 'ended resting runs that outlived their time limit');
    await parts.announce(ended, 'timeout');
  }
  await parts.stopChildren();
  return true;
}

async function takeFromDeadWorkers(parts: ReconcilerParts): Promise<void> {
  const holding = await parts.findHoldingWorkers();
  const dead = holding.filter((workerId) => parts.liveness.isDead(workerId, parts.now()));
  if (dead.length === 0) return;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const runs = await parts.dispatchRunsOfDeadWorkers(dead, BATCH);
    if (runs.length === 0) return;
    parts.logger.warn({ workers: dead, runs: runs.length }, 'dispatched the runs of dead workers again');
    await parts.addJobs(runs);
  }
}

async function dispatchLostRuns(parts: ReconcilerParts): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const unclaimed = await parts.findUnclaimed({ olderThanMs: UNCLAIMED_AFTER_MS, limit: BATCH });
    if (unclaimed.length === 0) return;
    const states = await parts.jobStates(unclaimed);
    const lost = unclaimed.filter((_, index) => isLost(states[index]));
    if (lost.length === 0) return;
    const runs = await parts.dispatchAgain(lost);
    // Their jobs were done with between the two looks.
    if (runs.length === 0) return;
    parts.logger.warn({ runs: runs.length }, 'dispatched runs again whose jobs were lost');
    await parts.addJobs(runs);
  }
}

function isLost(state: JobState | undefined): boolean {
  return state === undefined || state.kind === 'missing' || (state.kind === 'taken' && state.forMs > TAKEN_AFTER_MS);
}

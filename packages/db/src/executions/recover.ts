import { runError } from '@deckhand/contracts';
import { type Database, Prisma, type Queryable } from '../client.js';
import { LOCK_FREE_RUNS } from '../lock-order.js';
import type { DispatchedExecution } from './reconcile.js';
import { dispatchAgainIf, DISPATCHED, endRuns, IS_HELD, TIME_LEFT } from './run-status.js';

/** A worker that is dead, or that no longer runs what it holds. */
export interface LostWorker {
  readonly id: string;
  /** The run that occupied its event loop when it was last heard of; null when that is not known. */
  readonly culprit: string | null;
}

/** What became of the runs of lost workers. */
export interface RecoveredRuns {
  /** Dispatched again: to be queued. */
  readonly dispatched: readonly DispatchedExecution[];
  /** Ids of those that were dispatched again after a delay: maintenance wakes them. */
  readonly delayed: readonly string[];
  /** Ids of those that lost their worker too often. */
  readonly failed: readonly string[];
  /** Ids of those that a person paused: they rest. */
  readonly paused: readonly string[];
}

/**
 * How long a run waits after so many losses without progress, in seconds; one more than there are here, and it fails.
 */
const DELAYS_SECONDS = [0, 0, 10, 60, 300] as const;

const LOST_TOO_OFTEN = JSON.stringify(runError('RUN_LOST_TOO_OFTEN'));

interface LostRun {
  readonly id: string;
  readonly workerId: string;
  readonly isPaused: boolean;
  readonly losses: number;
}

/**
 * Takes those of the given runs from lost workers that they hold: they are dispatched again, at once or after a delay,
 * or fail. A loss is counted for the run that occupied the worker; where that is not known, for all that it held. A
 * newly stored finished node counts as progress and takes the losses back (see the checkpoint statement). The worker is
 * fenced by the next claim.
 *
 * The race it excludes: two that recover the same runs, and a run whose last checkpoint is being written. Rows are locked
 * first, and those that another has locked are left for the next call.
 */
export function recoverRuns(
  db: Database,
  workers: readonly LostWorker[],
  executionIds: readonly string[],
): Promise<RecoveredRuns> {
  return db.$transaction(async (tx) => {
    const culprits = new Map(workers.map(({ id, culprit }) => [id, culprit]));
    const lost = await tx.$queryRaw<LostRun[]>(Prisma.sql`/* executions.find-lost */
      SELECT e.id, e.worker_id AS "workerId", e.status = 'paused' AS "isPaused", e.losses::int AS losses
      FROM executions e
      WHERE e.id = ANY(${[...executionIds]}::uuid[]) AND e.worker_id = ANY(${[...culprits.keys()]}::uuid[]) AND ${IS_HELD}
      ${LOCK_FREE_RUNS}`);
    const counted = lost.map((run) => {
      const culprit = culprits.get(run.workerId) ?? null;
      return { ...run, losses: run.losses + (culprit === null || culprit === run.id ? 1 : 0) };
    });
    const fails = ({ losses, isPaused }: LostRun): boolean => losses > DELAYS_SECONDS.length && !isPaused;
    const failing = counted.filter(fails);
    const resting = counted.filter((run) => !fails(run));
    const dispatched = await takeFromWorkers(tx, resting);
    const failed = await endRuns(
      tx,
      failing.map(({ id }) => id),
      { event: 'fail', error: Prisma.sql`${LOST_TOO_OFTEN}` },
    );
    const hasJob = new Set(dispatched.map(({ executionId }) => executionId));
    return {
      dispatched,
      failed,
      delayed: resting.flatMap(({ id, isPaused }) => (isPaused || hasJob.has(id) ? [] : [id])),
      paused: resting.flatMap(({ id, isPaused }) => (isPaused ? [id] : [])),
    };
  });
}

async function takeFromWorkers(tx: Queryable, runs: readonly LostRun[]): Promise<DispatchedExecution[]> {
  if (runs.length === 0) return [];
  const ids = runs.map(({ id }) => id);
  const losses = runs.map((run) => run.losses);
  const delays = runs.map((run) => DELAYS_SECONDS[run.losses - 1] ?? 0);
  const isDispatched = Prisma.sql`e.status = 'running' AND r.delay = 0`;
  const rows = await tx.$queryRaw<
    (DispatchedExecution & { readonly isDispatched: boolean })[]
  >(Prisma.sql`/* executions.recover */
    UPDATE executions e
    SET worker_id = NULL, time_left_ms = ${TIME_LEFT}, held_until = NULL, revision = e.revision + 1, losses = r.losses, ${dispatchAgainIf(isDispatched)},
        wake_at = CASE WHEN e.status = 'running' AND r.delay > 0 THEN now() + r.delay * interval '1 second' END
    FROM unnest(${ids}::uuid[], ${losses}::int[], ${delays}::int[]) AS r(id, losses, delay)
    WHERE e.id = r.id AND ${IS_HELD}
    RETURNING ${DISPATCHED}, ${isDispatched} AS "isDispatched"`);
  return rows.flatMap(({ isDispatched: hasJob, ...run }) => (hasJob ? [run] : []));
}

import { runError } from '@deckhand/contracts';
import { type Database, Prisma, type Queryable } from '../../client.ts';
import { LOCK_FREE_RUNS } from '../../lock-order.ts';
import type { DispatchedExecution } from './reconcile.ts';
import { dispatchAgainIf, DISPATCHED, endRuns, IS_HELD, TIME_LEFT } from '../run-status.ts';

/** A worker that is dead, or no longer executes the runs that it holds. */
export interface LostWorker {
  readonly id: string;
  /** The run that occupied its event loop at its last heartbeat; null if unknown. */
  readonly blockingRun: string | null;
}

/** The result for the runs of lost workers. */
export interface RecoveredRuns {
  /** Dispatched again, to be queued. */
  readonly dispatched: readonly DispatchedExecution[];
  /** Ids of runs that wait for a delay before they are dispatched again: maintenance wakes them. */
  readonly delayed: readonly string[];
  /** Ids of runs that lost their worker too often, and failed. */
  readonly failed: readonly string[];
  /** Ids of paused runs, which now rest. */
  readonly paused: readonly string[];
}

/** Delay after each loss of a worker without progress, in seconds. After one more loss, the run fails. */
const DELAYS_SECONDS = [0, 0, 10, 60, 300] as const;

const LOST_TOO_OFTEN = JSON.stringify(runError('RUN_LOST_TOO_OFTEN'));

interface LostRun {
  readonly id: string;
  readonly workerId: string;
  readonly isPaused: boolean;
  readonly losses: number;
}

/**
 * Takes the given runs from the lost workers that hold them: they are dispatched again, at once or after a delay, or
 * fail. The loss counts for the run that occupied the worker; if that is unknown, for all runs that it held. A newly
 * stored finished node counts as progress and resets the count (see the checkpoint statement). The next claim fences
 * the worker.
 *
 * Race: two processes that recover the same runs, and a run whose last checkpoint is being written.
 * Rows are locked first, and rows that are locked already are left for the next call.
 */
export function recoverRuns(
  db: Database,
  workers: readonly LostWorker[],
  executionIds: readonly string[],
): Promise<RecoveredRuns> {
  return db.$transaction(async (tx) => {
    const blockingRuns = new Map(workers.map(({ id, blockingRun }) => [id, blockingRun]));
    const lost = await tx.$queryRaw<LostRun[]>(Prisma.sql`/* executions.find-lost */
      SELECT e.id, e.worker_id AS "workerId", e.status = 'paused' AS "isPaused", e.losses::int AS losses
      FROM executions e
      WHERE e.id = ANY(${[...executionIds]}::uuid[]) AND e.worker_id = ANY(${[...blockingRuns.keys()]}::uuid[]) AND ${IS_HELD}
      ${LOCK_FREE_RUNS}`);
    const counted = lost.map((run) => {
      const blockingRun = blockingRuns.get(run.workerId) ?? null;
      return { ...run, losses: run.losses + (blockingRun === null || blockingRun === run.id ? 1 : 0) };
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

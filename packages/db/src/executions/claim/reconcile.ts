import { RUN_ERRORS } from '@deckhand/contracts';
import { type Database, Prisma } from '../../client.ts';
import { LOCK_FREE_RUNS } from '../../lock-order.ts';
import type { ReleasedExecution } from './release.ts';
import {
  DISPATCH_AGAIN,
  dispatchAgainIf,
  DISPATCHED,
  dispatchedIf,
  endRuns,
  IS_HELD,
  IS_RESTING,
  IS_UNCLAIMED,
  isExpired,
  isUnfinished,
  LACKS_KEY,
} from '../run-status.ts';

/** A run and the number of the job that may claim it. */
export interface DispatchedExecution {
  readonly workspaceId: string;
  readonly executionId: string;
  readonly dispatch: number;
  /** Its priority in the queue; null without one. */
  readonly priority?: number | null;
}

/** Returns the ids of the workers that hold unfinished runs. */
export async function findHoldingWorkers(db: Database): Promise<string[]> {
  // Served by executions_held, which contains only runs that a worker holds.
  const rows = await db.$queryRaw<{ workerId: string }[]>(Prisma.sql`/* executions.find-holding-workers */
    SELECT DISTINCT e.worker_id AS "workerId" FROM executions e
    WHERE ${IS_HELD}`);
  return rows.map((row) => row.workerId);
}

/** A run whose current dispatch is unclaimed. */
export interface UnclaimedExecution extends DispatchedExecution {
  readonly dispatchedAt: Date;
}

/**
 * Finds runs whose current dispatch has been unclaimed for longer than `olderThanMs`, the oldest first. @param
 * options.after the last run of the previous page; undefined for the first page.
 */
export async function findUnclaimed(
  db: Database,
  options: {
    readonly olderThanMs: number;
    readonly limit: number;
    readonly after?: Pick<UnclaimedExecution, 'executionId' | 'dispatchedAt'> | undefined;
  },
): Promise<UnclaimedExecution[]> {
  const { after } = options;
  const isAfter = after
    ? Prisma.sql`AND (e.dispatched_at, e.id) > (${after.dispatchedAt}::timestamptz, ${after.executionId}::uuid)`
    : Prisma.empty;
  // Served by executions_unclaimed.
  return db.$queryRaw<UnclaimedExecution[]>(Prisma.sql`/* executions.find-unclaimed */
    SELECT ${DISPATCHED}, e.dispatched_at AS "dispatchedAt" FROM executions e
    WHERE ${IS_UNCLAIMED} AND e.dispatched_at < now() - make_interval(secs => ${options.olderThanMs / 1_000}::float8)
      ${isAfter}
    ORDER BY e.dispatched_at, e.id LIMIT ${options.limit}`);
}

/**
 * Dispatches unclaimed runs again, each only if its dispatch is still the given one. The new number invalidates the
 * earlier job, if it is delivered after all.
 */
export async function dispatchAgain(
  db: Database,
  runs: readonly DispatchedExecution[],
): Promise<DispatchedExecution[]> {
  const ids = runs.map((run) => run.executionId);
  const dispatches = runs.map((run) => run.dispatch);
  return db.$queryRaw<DispatchedExecution[]>(Prisma.sql`/* executions.dispatch-again */
    UPDATE executions e SET ${DISPATCH_AGAIN}
    WHERE e.id IN (
      SELECT e.id FROM executions e
      JOIN unnest(${ids}::uuid[], ${dispatches}::int[]) AS r(id, dispatch) ON r.id = e.id AND r.dispatch = e.dispatch
      WHERE ${IS_UNCLAIMED} ${LOCK_FREE_RUNS})
    RETURNING ${DISPATCHED}`);
}

/**
 * Dispatches those of the given resting runs whose time has come. A delayed run that has no slot of its key waits for
 * one from now on: maintenance gives it one.
 */
export async function wakeDueRuns(db: Database, executionIds: readonly string[]): Promise<DispatchedExecution[]> {
  const hasKey = Prisma.sql`NOT ${LACKS_KEY}`;
  const rows = await db.$queryRaw<ReleasedExecution[]>(Prisma.sql`/* executions.wake */
    UPDATE executions e SET ${dispatchAgainIf(hasKey)}, wake_at = NULL
    WHERE e.id IN (
      SELECT e.id FROM executions e
      WHERE e.id = ANY(${[...executionIds]}::uuid[]) AND e.wake_at <= now() AND ${IS_RESTING}
      ${LOCK_FREE_RUNS})
    RETURNING ${dispatchedIf(hasKey)}`);
  return rows.flatMap(({ dispatch, ...run }) => (dispatch === null ? [] : [{ ...run, dispatch }]));
}

/** Whether the run is past its deadline. A worker that holds it gets a grace period to end it itself. */
export function isPastDeadline(graceMs: number): Prisma.Sql {
  return Prisma.sql`e.deadline_at < now() AND ${isUnfinished()}
    AND (e.worker_id IS NULL OR e.deadline_at < now() - ${graceMs}::int * interval '1 millisecond')`;
}

/**
 * Whether the time for which workers may hold the run is used up, and the worker that holds it did not end it within
 * the grace period.
 */
export function isHeldTooLong(graceMs: number): Prisma.Sql {
  return Prisma.sql`e.held_until < now() - ${graceMs}::int * interval '1 millisecond' AND ${IS_HELD}`;
}

/** A run that was ended because its time was up. */
export interface TimedOutExecution {
  readonly executionId: string;
  /** The worker that held it without ending it. */
  readonly workerId: string | null;
}

/** The recorded error of the run `e` when its time limit has passed, or it expired before it began. */
const TIME_LIMIT_ERROR = Prisma.sql`CASE WHEN ${isExpired()}
  THEN json_build_object('message', ${RUN_ERRORS.EXPIRED}::text, 'nodeId', null, 'code', 'EXPIRED')::text
  ELSE json_build_object('message', ${RUN_ERRORS.EXECUTION_TIMEOUT}::text,
    'nodeId', e.current_node_id, 'code', 'EXECUTION_TIMEOUT')::text END`;

/** Whether the run expired and is unfinished. */
export const IS_OVERDUE_TO_BEGIN = Prisma.sql`${isExpired()} AND ${isUnfinished()}`;

/**
 * Ends those of the given runs that are past their deadline, resting ones at once, those that a worker holds after
 * `graceMs`, and those that expired before a worker began them. The worker is fenced, so its later writes for that run
 * have no effect.
 */
export function timeOutRuns(
  db: Database,
  executionIds: readonly string[],
  graceMs: number,
): Promise<TimedOutExecution[]> {
  return db.$transaction(async (tx) => {
    const late = await tx.$queryRaw<TimedOutExecution[]>(Prisma.sql`/* executions.find-late */
      SELECT e.id AS "executionId", e.worker_id AS "workerId" FROM executions e
      WHERE e.id = ANY(${[...executionIds]}::uuid[]) AND (${isPastDeadline(graceMs)} OR ${isHeldTooLong(graceMs)} OR ${IS_OVERDUE_TO_BEGIN})
      ${LOCK_FREE_RUNS}`);
    if (late.length === 0) return [];
    const ended = new Set(
      await endRuns(
        tx,
        late.map(({ executionId }) => executionId),
        { event: 'timeOut', error: TIME_LIMIT_ERROR },
      ),
    );
    return late.filter(({ executionId }) => ended.has(executionId));
  });
}

import { RUN_ERRORS } from '@deckhand/contracts';
import { type Database, Prisma } from '../client.js';
import {
  DISPATCH_AGAIN,
  DISPATCHED,
  endRuns,
  IS_HELD,
  IS_RESTING,
  IS_UNCLAIMED,
  isUnfinished,
  RELEASE,
  RELEASED,
} from './run-status.js';

/** A run and the number of the job that may claim it. */
export interface DispatchedExecution {
  readonly workspaceId: string;
  readonly executionId: string;
  readonly dispatch: number;
}

/** Ids of the workers that hold unfinished runs. */
export async function findHoldingWorkers(db: Database): Promise<string[]> {
  // Served by executions_held, which has only runs that somebody holds.
  const rows = await db.$queryRaw<{ workerId: string }[]>(Prisma.sql`/* executions.find-holding-workers */
    SELECT DISTINCT e.worker_id AS "workerId" FROM executions e
    WHERE ${IS_HELD}`);
  return rows.map((row) => row.workerId);
}

/**
 * Takes the runs of dead workers from them: running ones are dispatched again, paused ones rest. The dead worker is fenced
 * by the next claim; until then a late write of it still counts, which is harmless, since its node runs are true.
 */
export async function dispatchRunsOfDeadWorkers(
  db: Database,
  workerIds: readonly string[],
  limit: number,
): Promise<DispatchedExecution[]> {
  const rows = await db.$queryRaw<
    (Omit<DispatchedExecution, 'dispatch'> & { dispatch: number | null })[]
  >(Prisma.sql`/* executions.dispatch-of-dead */
    UPDATE executions e
    SET ${RELEASE}
    WHERE e.id IN (
      SELECT e.id FROM executions e WHERE e.worker_id = ANY(${[...workerIds]}::uuid[]) AND ${IS_HELD}
      ORDER BY e.id LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING ${RELEASED}`);
  return rows.flatMap(({ dispatch, ...run }) => (dispatch === null ? [] : [{ ...run, dispatch }]));
}

/** Runs whose present dispatch nobody has claimed for longer than `olderThanMs`, oldest first, after `afterId`. */
export async function findUnclaimed(
  db: Database,
  options: { olderThanMs: number; limit: number },
): Promise<DispatchedExecution[]> {
  // Served by executions_unclaimed.
  return db.$queryRaw<DispatchedExecution[]>(Prisma.sql`/* executions.find-unclaimed */
    SELECT ${DISPATCHED} FROM executions e
    WHERE ${IS_UNCLAIMED} AND e.dispatched_at < now() - make_interval(secs => ${options.olderThanMs / 1_000}::float8)
    ORDER BY e.dispatched_at LIMIT ${options.limit}`);
}

/**
 * Dispatches unclaimed runs again, each only if its dispatch is still the given one. The new number makes a job that turns
 * up later after all worthless.
 */
export async function dispatchAgain(
  db: Database,
  runs: readonly DispatchedExecution[],
): Promise<DispatchedExecution[]> {
  const ids = runs.map((run) => run.executionId);
  const dispatches = runs.map((run) => run.dispatch);
  return db.$queryRaw<DispatchedExecution[]>(Prisma.sql`/* executions.dispatch-again */
    UPDATE executions e SET ${DISPATCH_AGAIN}
    FROM unnest(${ids}::uuid[], ${dispatches}::int[]) AS r(id, dispatch)
    WHERE e.id = r.id AND e.dispatch = r.dispatch AND ${IS_UNCLAIMED}
    RETURNING ${DISPATCHED}`);
}

/** Dispatches resting runs whose time has come. */
export async function wakeDueRuns(db: Database, limit: number): Promise<DispatchedExecution[]> {
  // Served by executions_wake.
  return db.$queryRaw<DispatchedExecution[]>(Prisma.sql`/* executions.wake */
    UPDATE executions e SET ${DISPATCH_AGAIN}, wake_at = NULL
    WHERE e.id IN (
      SELECT e.id FROM executions e WHERE e.wake_at <= now() AND ${IS_RESTING}
      ORDER BY e.wake_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING ${DISPATCHED}`);
}

/** The recorded error of the run `e` when its time limit has passed. */
const TIME_LIMIT_ERROR = Prisma.sql`json_build_object('message', ${RUN_ERRORS.EXECUTION_TIMEOUT}::text,
  'nodeId', e.current_node_id, 'code', 'EXECUTION_TIMEOUT')::text`;

/** Ends resting runs that outlived their deadline; a run that a worker holds is ended by that worker. */
export function timeOutRestingRuns(db: Database, limit: number): Promise<string[]> {
  return db.$transaction(async (tx) => {
    // Served by executions_deadline.
    const late = await tx.$queryRaw<{ id: string }[]>(Prisma.sql`/* executions.find-late */
      SELECT e.id FROM executions e WHERE e.deadline_at < now() AND e.worker_id IS NULL AND ${isUnfinished()}
      ORDER BY e.deadline_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`);
    if (late.length === 0) return [];
    return endRuns(
      tx,
      late.map(({ id }) => id),
      { trigger: 'timeOut', error: TIME_LIMIT_ERROR },
    );
  });
}

import { type Database, Prisma } from '../client.js';

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
    SELECT DISTINCT worker_id AS "workerId" FROM executions
    WHERE worker_id IS NOT NULL AND status IN ('running', 'paused')`);
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
    SET worker_id = NULL, revision = e.revision + 1,
        dispatch = CASE WHEN e.status = 'running' THEN e.dispatch + 1 ELSE e.dispatch END,
        dispatched_at = CASE WHEN e.status = 'running' THEN now() ELSE e.dispatched_at END
    WHERE e.id IN (
      SELECT id FROM executions WHERE worker_id = ANY(${[...workerIds]}::uuid[]) AND status IN ('running', 'paused')
      ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING e.workspace_id AS "workspaceId", e.id AS "executionId", CASE WHEN e.status = 'running' THEN e.dispatch END AS dispatch`);
  return rows.flatMap(({ dispatch, ...run }) => (dispatch === null ? [] : [{ ...run, dispatch }]));
}

/** Runs whose present dispatch nobody has claimed for longer than `olderThanMs`, oldest first, after `afterId`. */
export async function findUnclaimed(
  db: Database,
  options: { olderThanMs: number; limit: number },
): Promise<DispatchedExecution[]> {
  // Served by executions_unclaimed.
  return db.$queryRaw<DispatchedExecution[]>(Prisma.sql`/* executions.find-unclaimed */
    SELECT workspace_id AS "workspaceId", id AS "executionId", dispatch FROM executions
    WHERE worker_id IS NULL AND claimed_dispatch < dispatch
      AND status IN ('pending', 'running', 'waiting_for_input', 'waiting_for_human')
      AND dispatched_at < now() - make_interval(secs => ${options.olderThanMs / 1_000}::float8)
    ORDER BY dispatched_at LIMIT ${options.limit}`);
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
    UPDATE executions e SET dispatch = e.dispatch + 1, dispatched_at = now()
    FROM unnest(${ids}::uuid[], ${dispatches}::int[]) AS r(id, dispatch)
    WHERE e.id = r.id AND e.dispatch = r.dispatch AND e.claimed_dispatch < e.dispatch AND e.worker_id IS NULL
      AND e.status IN ('pending', 'running', 'waiting_for_input', 'waiting_for_human')
    RETURNING e.workspace_id AS "workspaceId", e.id AS "executionId", e.dispatch`);
}

/** Dispatches resting runs whose time has come. */
export async function wakeDueRuns(db: Database, limit: number): Promise<DispatchedExecution[]> {
  // Served by executions_wake.
  return db.$queryRaw<DispatchedExecution[]>(Prisma.sql`/* executions.wake */
    UPDATE executions e SET dispatch = e.dispatch + 1, dispatched_at = now(), wake_at = NULL
    WHERE e.id IN (
      SELECT id FROM executions
      WHERE wake_at <= now() AND worker_id IS NULL AND status IN ('running', 'waiting_for_input', 'waiting_for_human')
      ORDER BY wake_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING e.workspace_id AS "workspaceId", e.id AS "executionId", e.dispatch`);
}

/** Ends resting runs that outlived their deadline; a run that a worker holds is ended by that worker. */
export async function timeOutRestingRuns(db: Database, limit: number): Promise<string[]> {
  // Served by executions_deadline.
  const rows = await db.$queryRaw<{ id: string }[]>(Prisma.sql`/* executions.time-out */
    WITH late AS (
      SELECT id FROM executions
      WHERE deadline_at < now() AND worker_id IS NULL
        AND status IN ('pending', 'running', 'paused', 'waiting_for_input', 'waiting_for_human')
      ORDER BY deadline_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), ended AS (
      UPDATE executions e
      SET status = 'timeout', epoch = e.epoch + 1, finished_at = now(), current_node_id = NULL, wake_at = NULL,
          revision = e.revision + 1,
          error = json_build_object('message', 'the run took longer than its time limit', 'nodeId', e.current_node_id,
            'code', 'EXECUTION_TIMEOUT')::text
      FROM late WHERE e.id = late.id RETURNING e.id
    ), unindexed AS (
      INSERT INTO unindexed_executions (execution_id) SELECT id FROM ended
    ), stopped AS (
      UPDATE node_runs n SET status = 'stopped', finished_at = now()
      FROM ended WHERE n.execution_id = ended.id AND n.status IN ('pending', 'running', 'waiting')
    )
    SELECT id FROM ended`);
  return rows.map((row) => row.id);
}

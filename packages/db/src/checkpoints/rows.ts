import { Prisma } from '../client.ts';

// Parts of the checkpoint statement that write rows of nodes and waits of the runs in `admitted`. Most checkpoints have
// no iterations and no waits; PostgreSQL need not open a table that the statement does not name.

/**
 * Returns a time of a node as it is stored. The clock of its worker may lag a little behind the database's, so a time
 * before the creation of the run becomes the time of its creation. In a rerun from a node, reused nodes keep their
 * earlier times, so no time is changed.
 */
export function timeOf(ms: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`CASE WHEN ${ms} IS NOT NULL THEN greatest(a."notBefore", to_timestamp(${ms} / 1000.0)) END`;
}

/**
 * Returns rows as a JSON text for `json_to_recordset`, without members that are null: it reads a missing member as null
 * too, and parsing the nulls of a node takes a third of the time.
 */
export function toRecordset(rows: Recordset): string {
  return JSON.stringify(rows.map(withoutNulls));
}

/** Rows by the names of their columns. */
export type Recordset = readonly Readonly<Record<string, unknown>>[];

/** Loops over the names because `Object.entries` would allocate a tenth of what a worker does for a run. */
function withoutNulls(row: Recordset[number]): object {
  const sparse: Record<string, unknown> = {};
  for (const name in row) if (row[name] !== null) sparse[name] = row[name];
  return sparse;
}

/** Columns that a summary and an iteration of a node share, as `json_to_recordset` reads them. */
const GIVEN = Prisma.sql`i int, "nodeId" text, status node_status, "startedAt" float8, "finishedAt" float8, attempts int,
  "attemptHistory" text, handle text, output text, "outputRef" uuid, "outputBytes" bigint, error text, state text, debug text`;

/** The same as columns of the tables, and their values. */
const COLUMNS = Prisma.sql`status, started_at, finished_at, attempts, attempt_history, handle, output, output_ref, output_bytes, error, state, debug`;
const VALUES = Prisma.sql`n.status, ${timeOf(Prisma.raw('n."startedAt"'))}, ${timeOf(Prisma.raw('n."finishedAt"'))}, n.attempts,
  n."attemptHistory", n.handle, n.output, n."outputRef", n."outputBytes", n.error, n.state, n.debug`;

/**
 * Returns the assignments that replace a row of `table`. It keeps its start, unless it is pending: a node that a pause
 * held before its first attempt has not started.
 */
function overwrite(table: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`status = EXCLUDED.status, started_at = CASE EXCLUDED.status WHEN 'pending' THEN EXCLUDED.started_at
            ELSE coalesce(EXCLUDED.started_at, ${table}.started_at) END, finished_at = EXCLUDED.finished_at,
    attempts = EXCLUDED.attempts, attempt_history = EXCLUDED.attempt_history, handle = EXCLUDED.handle, output = EXCLUDED.output, output_ref = EXCLUDED.output_ref,
    output_bytes = EXCLUDED.output_bytes, error = EXCLUDED.error, state = EXCLUDED.state, debug = EXCLUDED.debug`;
}

const OVERWRITE_NODE = overwrite(Prisma.sql`node_runs`);
const OVERWRITE_ITERATION = overwrite(Prisma.sql`node_iterations`);

/** Writes the rows of nodes. */
export function writeNodeRuns(rows: Recordset): Prisma.Sql {
  return Prisma.sql`INSERT INTO node_runs (execution_id, node_id, ${COLUMNS}, iterations, last_iteration, iteration_counts)
      SELECT a.id, n."nodeId", ${VALUES}, n.iterations, n."lastIteration", n."iterationCounts"
      FROM json_to_recordset(${toRecordset(rows)}::json) AS n(${GIVEN}, iterations int, "lastIteration" text,
        "iterationCounts" text)
      JOIN admitted a ON a.i = n.i AND a.step = 'new'
      ON CONFLICT (execution_id, node_id) DO UPDATE SET ${OVERWRITE_NODE},
        iterations = EXCLUDED.iterations, last_iteration = EXCLUDED.last_iteration,
        iteration_counts = EXCLUDED.iteration_counts`;
}

/** Writes iterations of nodes, as a further CTE; nothing without any. */
export function writeIterations(rows: Recordset): Prisma.Sql {
  if (rows.length === 0) return Prisma.empty;
  return Prisma.sql`, written_iterations AS (
      INSERT INTO node_iterations (execution_id, node_id, iteration, ${COLUMNS})
      SELECT a.id, n."nodeId", n.iteration, ${VALUES}
      FROM json_to_recordset(${toRecordset(rows)}::json) AS n(${GIVEN}, iteration text)
      JOIN admitted a ON a.i = n.i AND a.step = 'new'
      ON CONFLICT (execution_id, node_id, iteration) DO UPDATE SET ${OVERWRITE_ITERATION}
    )`;
}

/**
 * Adds waits that began, and cancels others, as a further CTE; nothing without any. A cancelled wait ends at once, but
 * for one for another run: `stopOrphans` ends it, once it has stopped that run.
 *
 * Race: an answer, or the time, at the moment in which the wait is cancelled. All of them require it to be open. Rows
 * are written by ascending key, as `endDueWaits` locks them.
 */
export function addWaits(rows: Recordset): Prisma.Sql {
  if (rows.length === 0) return Prisma.empty;
  return Prisma.sql`, added_waits AS (
      INSERT INTO waits (execution_id, node_id, iteration, kind, details, due_at, created_at, child_execution_id,
        workspace_id, event_name, event_key, approver_people, approver_roles, four_eyes, cancelled_at, answered_at)
      SELECT a.id, w."nodeId", w.iteration, w.kind, w.details, to_timestamp(w."dueAt" / 1000.0), now(), w."childExecutionId",
        CASE WHEN w."eventName" IS NOT NULL THEN a.workspace_id END, w."eventName", w."eventKey",
        w."approverPeople", w."approverRoles", w."fourEyes",
        CASE WHEN w."isCancelled" THEN now() END, CASE WHEN w."isCancelled" AND w.kind <> 'workflow' THEN now() END
      FROM json_to_recordset(${toRecordset(rows)}::json) AS w(
        i int, "nodeId" text, iteration text, kind wait_kind, details text, "dueAt" float8, "childExecutionId" uuid,
        "eventName" text, "eventKey" text, "approverPeople" text[], "approverRoles" text[], "fourEyes" boolean,
        "isCancelled" boolean)
      JOIN admitted a ON a.i = w.i AND a.step = 'new'
      ORDER BY a.id, w."nodeId", w.iteration
      ON CONFLICT (execution_id, node_id, iteration) DO UPDATE
        SET cancelled_at = EXCLUDED.cancelled_at, answered_at = EXCLUDED.answered_at
        WHERE EXCLUDED.cancelled_at IS NOT NULL AND waits.answered_at IS NULL
      RETURNING execution_id, node_id, iteration, kind, cancelled_at
    )`;
}

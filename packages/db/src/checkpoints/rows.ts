import { Prisma } from '../client.js';

// Parts of the checkpoint statement that write rows of nodes and waits of the runs in `admitted`. Most checkpoints have
// no iterations and no waits, and a table that a statement does not name it need not open.

/**
 * The new start of a row of `table` that is written again: a node that a pause kept from its first attempt has not
 * begun.
 */
function startIn(table: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`CASE EXCLUDED.status WHEN 'pending' THEN EXCLUDED.started_at
            ELSE coalesce(EXCLUDED.started_at, ${table}.started_at) END`;
}

/** How far the clock of a worker may lag behind the database's. */
const MAX_CLOCK_LAG = Prisma.sql`interval '50 milliseconds'`;

/** Whether a time, in ms since the epoch, is that of a node which this run has run, not reused from an earlier one. */
export function isOfThisRun(ms: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(NOT a."reusesNodes" AND to_timestamp(${ms} / 1000.0) > a.created_at - ${MAX_CLOCK_LAG})`;
}

/**
 * A time of a node as it is stored. The clock of its worker may lag a little behind the database's, so a time just
 * before the run was created becomes that of its creation. Reused nodes keep their times.
 */
export function timeOf(ms: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`CASE WHEN ${isOfThisRun(ms)} THEN greatest(a.created_at, to_timestamp(${ms} / 1000.0))
    ELSE to_timestamp(${ms} / 1000.0) END`;
}

/** Columns that a summary and an iteration of a node share, as `json_to_recordset` reads them. */
const GIVEN = Prisma.sql`i int, "nodeId" text, status node_status, "startedAt" float8, "finishedAt" float8, attempts int,
  handle text, output text, "outputRef" uuid, "outputBytes" bigint, error text, state text, debug text`;

/** The same as columns of the tables, and their values. */
const COLUMNS = Prisma.sql`status, started_at, finished_at, attempts, handle, output, output_ref, output_bytes, error, state, debug`;
const VALUES = Prisma.sql`n.status, ${timeOf(Prisma.raw('n."startedAt"'))}, ${timeOf(Prisma.raw('n."finishedAt"'))}, n.attempts,
  n.handle, n.output, n."outputRef", n."outputBytes", n.error, n.state, n.debug`;

function overwrite(table: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`status = EXCLUDED.status, started_at = ${startIn(table)}, finished_at = EXCLUDED.finished_at,
    attempts = EXCLUDED.attempts, handle = EXCLUDED.handle, output = EXCLUDED.output, output_ref = EXCLUDED.output_ref,
    output_bytes = EXCLUDED.output_bytes, error = EXCLUDED.error, state = EXCLUDED.state, debug = EXCLUDED.debug`;
}

/** Writes the rows of nodes. */
export function writeNodeRuns(rows: readonly object[]): Prisma.Sql {
  return Prisma.sql`INSERT INTO node_runs (execution_id, node_id, ${COLUMNS}, iterations, last_iteration, iteration_counts)
      SELECT a.id, n."nodeId", ${VALUES}, n.iterations, n."lastIteration", n."iterationCounts"
      FROM json_to_recordset(${JSON.stringify(rows)}::json) AS n(${GIVEN}, iterations int, "lastIteration" text,
        "iterationCounts" text)
      JOIN admitted a ON a.i = n.i AND a.step = 'new'
      ON CONFLICT (execution_id, node_id) DO UPDATE SET ${overwrite(Prisma.sql`node_runs`)},
        iterations = EXCLUDED.iterations, last_iteration = EXCLUDED.last_iteration,
        iteration_counts = EXCLUDED.iteration_counts`;
}

/** Writes iterations of nodes, as a further CTE; nothing without any. */
export function writeIterations(rows: readonly object[]): Prisma.Sql {
  if (rows.length === 0) return Prisma.empty;
  return Prisma.sql`, written_iterations AS (
      INSERT INTO node_iterations (execution_id, node_id, iteration, ${COLUMNS})
      SELECT a.id, n."nodeId", n.iteration, ${VALUES}
      FROM json_to_recordset(${JSON.stringify(rows)}::json) AS n(${GIVEN}, iteration text)
      JOIN admitted a ON a.i = n.i AND a.step = 'new'
      ON CONFLICT (execution_id, node_id, iteration) DO UPDATE SET ${overwrite(Prisma.sql`node_iterations`)}
    )`;
}

/** Adds waits that began, as a further CTE; nothing without any. */
export function addWaits(rows: readonly object[]): Prisma.Sql {
  if (rows.length === 0) return Prisma.empty;
  return Prisma.sql`, added_waits AS (
      INSERT INTO waits (execution_id, node_id, iteration, kind, details, due_at, created_at, child_execution_id)
      SELECT a.id, w."nodeId", w.iteration, w.kind, w.details, to_timestamp(w."dueAt" / 1000.0), now(), w."childExecutionId"
      FROM json_to_recordset(${JSON.stringify(rows)}::json) AS w(
        i int, "nodeId" text, iteration text, kind wait_kind, details text, "dueAt" float8, "childExecutionId" uuid)
      JOIN admitted a ON a.i = w.i AND a.step = 'new'
      ON CONFLICT (execution_id, node_id, iteration) DO NOTHING
    )`;
}

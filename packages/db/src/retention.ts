import { Prisma, type Queryable } from './client.ts';
import { countRuns } from './insights/run-days.ts';
import { LOCK_FREE_RUNS } from './lock-order.ts';
import { isNotRepeated } from './maintenance/find-runs.ts';

/**
 * Deletes trigger data, results and outputs of those of the given runs that are finished, and subtracts their bytes
 * from their workspaces. The rows stay, so the runs can still be listed and searched. Messages of attempts that failed
 * quote responses, also in runs that succeeded. URLs of callbacks may hold
 * secrets, and messages of their attempts quote them: a callback that was not delivered until then has failed.
 *
 * Race: a statement that indexes and counts a run, and began before this one was committed. It waits for no lock, but
 * finds the row of the work list as this one left it: counted.
 * @returns how many.
 */
export async function pruneData(db: Queryable, executionIds: readonly string[]): Promise<number> {
  const [row] = await db.$queryRaw<{ count: number }[]>(Prisma.sql`/* retention.prune-data */
    WITH ${waitingForIndex(executionIds)}, taken AS (
      SELECT e.id, e.workspace_id, e.stored_bytes FROM executions e
      WHERE e.id = ANY(${[...executionIds]}::uuid[])
        AND e.finished_at IS NOT NULL AND e.trigger_data IS NOT NULL AND ${isNotRepeated}
        AND ${isNotBeingIndexed}
      ${LOCK_FREE_RUNS}
    ), emptied AS (
      UPDATE executions e SET trigger_data = NULL, mocks = NULL, result = NULL, metadata = NULL, callback_url = NULL, response = NULL, stored_bytes = 0, revision = e.revision + 1
      FROM taken t WHERE e.id = t.id
    ), emptied_nodes AS (
      UPDATE node_runs n SET output = NULL, output_ref = NULL, output_bytes = 0, state = NULL, debug = NULL, attempt_history = NULL
      FROM taken t WHERE n.execution_id = t.id
    ), emptied_iterations AS (
      UPDATE node_iterations n SET output = NULL, output_ref = NULL, output_bytes = 0, state = NULL, debug = NULL, attempt_history = NULL
      FROM taken t WHERE n.execution_id = t.id
    ), callbacks AS (
      -- Served by event_deliveries_callbacks.
      SELECT d.id FROM event_deliveries d JOIN taken t ON t.id = d.execution_id WHERE d.url IS NOT NULL
      ORDER BY d.id FOR UPDATE OF d
    ), emptied_callbacks AS (
      UPDATE event_deliveries d SET url = NULL, attempts = '[]', finished_at = coalesce(d.finished_at, now()),
        status = CASE d.status WHEN 'pending' THEN 'failed' ELSE d.status END
      FROM callbacks c WHERE d.id = c.id
    ), deleted_waits AS (
      DELETE FROM waits w USING taken t WHERE w.execution_id = t.id
    ), deleted_large AS (
      DELETE FROM large_outputs l USING taken t WHERE l.execution_id = t.id
      RETURNING l.id, l.execution_id, l.data IS NULL AS is_apart
    ), apart AS (
      INSERT INTO deleted_outputs (id, execution_id) SELECT id, execution_id FROM deleted_large WHERE is_apart
    ), unnamed_files AS (
      DELETE FROM execution_files f USING taken t WHERE f.execution_id = t.id
    ), deleted_texts AS (
      DELETE FROM execution_texts x USING taken t WHERE x.execution_id = t.id
      RETURNING x.execution_id, x.failure_group_id
    ), searched_again AS (
      INSERT INTO unindexed_executions (execution_id, failure_group_id, is_counted)
      SELECT t.id, d.failure_group_id, true FROM taken t LEFT JOIN deleted_texts d ON d.execution_id = t.id
      ON CONFLICT (execution_id) DO UPDATE SET is_counted = true
    ), uncounted AS (
      SELECT t.id AS execution_id FROM taken t JOIN free f ON f.execution_id = t.id WHERE NOT f.is_counted
    ), ${countRuns(Prisma.sql`uncounted`)}, stored AS (
      INSERT INTO storage_changes (workspace_id, bytes)
      SELECT workspace_id, -sum(stored_bytes) FROM taken GROUP BY workspace_id HAVING sum(stored_bytes) > 0
    )
    SELECT count(*)::int AS count FROM taken`);
  return row?.count ?? 0;
}

/**
 * Deletes those of the given runs that are finished and whose data is gone.
 * @returns how many.
 */
export async function pruneRuns(db: Queryable, executionIds: readonly string[]): Promise<number> {
  const [row] = await db.$queryRaw<{ count: number }[]>(Prisma.sql`/* retention.prune-runs */
    WITH ${waitingForIndex(executionIds)}, taken AS (
      SELECT e.id FROM executions e
      WHERE e.id = ANY(${[...executionIds]}::uuid[])
        AND e.finished_at IS NOT NULL AND e.trigger_data IS NULL AND ${isNotRepeated}
        AND ${isNotBeingIndexed}
      ${LOCK_FREE_RUNS}
    ), ${deletionOfTaken}
    SELECT count(*)::int AS count FROM taken`);
  return row?.count ?? 0;
}

/**
 * Returns the common table expression `free`: those of the given runs that wait to be indexed, locked so that they
 * cannot be indexed until the statement ends.
 */
function waitingForIndex(executionIds: readonly string[]): Prisma.Sql {
  return Prisma.sql`free AS (
      SELECT execution_id, is_counted FROM unindexed_executions WHERE execution_id = ANY(${[...executionIds]}::uuid[])
      ORDER BY execution_id FOR UPDATE SKIP LOCKED
    )`;
}

/**
 * Returns the condition, in a statement with `free`, that the run `e` is not being indexed. The process that indexes it
 * has read its texts, and would store them again after they were deleted.
 */
const isNotBeingIndexed = Prisma.sql`(e.id IN (SELECT execution_id FROM free)
          OR NOT EXISTS (SELECT 1 FROM unindexed_executions u WHERE u.execution_id = e.id))`;

/**
 * Returns the parts of a statement that delete the runs of `taken`, which contains their ids, with all rows that belong
 * to them. A trigger handles their large outputs: it records those that another store has. Locked rows of work lists
 * are left to the process that locked them.
 */
export const deletionOfTaken = Prisma.sql`deleted_nodes AS (
      DELETE FROM node_runs n USING taken t WHERE n.execution_id = t.id
    ), deleted_iterations AS (
      DELETE FROM node_iterations n USING taken t WHERE n.execution_id = t.id
    ), deleted_waits AS (
      DELETE FROM waits w USING taken t WHERE w.execution_id = t.id
    ), deleted_texts AS (
      DELETE FROM execution_texts x USING taken t WHERE x.execution_id = t.id
    ), unsearched AS (
      DELETE FROM unindexed_executions WHERE execution_id IN (
        SELECT x.execution_id FROM unindexed_executions x JOIN taken t ON t.id = x.execution_id FOR UPDATE OF x SKIP LOCKED)
    ), no_parents AS (
      DELETE FROM stopped_parents WHERE execution_id IN (
        SELECT s.execution_id FROM stopped_parents s JOIN taken t ON t.id = s.execution_id FOR UPDATE OF s SKIP LOCKED)
    ), no_families AS (
      DELETE FROM run_families f USING taken t WHERE f.root_execution_id = t.id
    ), deleted AS (
      DELETE FROM executions e USING taken t WHERE e.id = t.id
    )`;

import { Prisma, type Queryable } from '../client.js';
import { LOCK_FREE_RUNS } from '../lock-order.js';
import { isNotRepeated } from '../maintenance/find-runs.js';
import { isNotBeingIndexed, waitingForIndex } from './not-being-indexed.js';

/**
 * Deletes trigger data, results and outputs of those of the given runs that are finished, and subtracts their bytes
 * from their workspaces. The rows stay, so the runs can still be listed and searched. @returns how many.
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
      UPDATE executions e SET trigger_data = NULL, result = NULL, stored_bytes = 0, revision = e.revision + 1
      FROM taken t WHERE e.id = t.id
    ), emptied_nodes AS (
      UPDATE node_runs n SET output = NULL, output_ref = NULL, output_bytes = 0, state = NULL, debug = NULL
      FROM taken t WHERE n.execution_id = t.id
    ), emptied_iterations AS (
      UPDATE node_iterations n SET output = NULL, output_ref = NULL, output_bytes = 0, state = NULL, debug = NULL
      FROM taken t WHERE n.execution_id = t.id
    ), deleted_waits AS (
      DELETE FROM waits w USING taken t WHERE w.execution_id = t.id
    ), deleted_large AS (
      DELETE FROM large_outputs l USING taken t WHERE l.execution_id = t.id
      RETURNING l.id, l.execution_id, l.data IS NULL AS is_apart
    ), apart AS (
      INSERT INTO deleted_outputs (id, execution_id) SELECT id, execution_id FROM deleted_large WHERE is_apart
    ), deleted_texts AS (
      DELETE FROM execution_texts x USING taken t WHERE x.execution_id = t.id
    ), searched_again AS (
      INSERT INTO unindexed_executions (execution_id) SELECT id FROM taken ON CONFLICT DO NOTHING
    ), stored AS (
      INSERT INTO storage_changes (workspace_id, bytes)
      SELECT workspace_id, -sum(stored_bytes) FROM taken GROUP BY workspace_id HAVING sum(stored_bytes) > 0
    )
    SELECT count(*)::int AS count FROM taken`);
  return row?.count ?? 0;
}

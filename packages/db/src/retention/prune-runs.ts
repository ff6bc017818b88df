import { type Database, Prisma } from '../client.js';
import { isNotRepeated } from '../maintenance/find-runs.js';

/**
 * Deletes those of the given runs that are finished and whose data is gone.
 * @returns how many.
 */
export async function pruneRuns(db: Database, executionIds: readonly string[]): Promise<number> {
  const [row] = await db.$queryRaw<{ count: number }[]>(Prisma.sql`/* retention.prune-runs */
    WITH taken AS (
      SELECT e.id FROM executions e
      WHERE e.id = ANY(${[...executionIds]}::uuid[])
        AND e.finished_at IS NOT NULL AND e.trigger_data IS NULL AND ${isNotRepeated}
      ORDER BY e.id FOR UPDATE SKIP LOCKED
    ), deleted_nodes AS (
      DELETE FROM node_runs n USING taken t WHERE n.execution_id = t.id
    ), deleted_iterations AS (
      DELETE FROM node_iterations n USING taken t WHERE n.execution_id = t.id
    ), deleted_waits AS (
      DELETE FROM waits w USING taken t WHERE w.execution_id = t.id
    ), deleted_texts AS (
      DELETE FROM execution_texts x USING taken t WHERE x.execution_id = t.id
    ), unsearched AS (
      DELETE FROM unindexed_executions x USING taken t WHERE x.execution_id = t.id
    ), deleted AS (
      DELETE FROM executions e USING taken t WHERE e.id = t.id
    )
    SELECT count(*)::int AS count FROM taken`);
  return row?.count ?? 0;
}

import { type Database, Prisma } from '../client.js';
import { isNotRepeated } from './prune-data.js';

/**
 * Deletes runs that finished so many days ago and whose data is gone, the oldest first.
 * @returns how many; `limit` of them means that there may be more.
 */
export async function pruneRuns(db: Database, { days, limit }: { days: number; limit: number }): Promise<number> {
  // Served by executions_without_data.
  const [row] = await db.$queryRaw<{ count: number }[]>(Prisma.sql`/* retention.prune-runs */
    WITH taken AS (
      SELECT e.id FROM executions e
      WHERE e.finished_at <= now() - ${days}::int * interval '1 day' AND e.trigger_data IS NULL AND ${isNotRepeated}
      ORDER BY e.finished_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
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

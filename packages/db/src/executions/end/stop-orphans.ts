import { type Database, Prisma } from '../../client.ts';
import { LOCK_RUNS } from '../../lock-order.ts';
import { isFinished } from '../run-status.ts';
import { stopRunsById } from './stop.ts';

/**
 * Whether nothing needs the child of the wait `w` of the run `p` any more. A cancelled node may have been about to
 * start its child: the wait remains until the child is there, or the parent has ended and can start none.
 */
const IS_ORPHANED = Prisma.sql`CASE WHEN w.cancelled_at IS NULL THEN ${isFinished(Prisma.sql`p`)} AND p.status <> 'success'
  ELSE ${isFinished(Prisma.sql`p`)} OR EXISTS (SELECT 1 FROM executions c WHERE c.id = w.child_execution_id) END`;

/**
 * Stops runs whose parents have ended without waiting for them to the end, because these failed elsewhere or their time
 * was up, or whose parents cancelled the node that waits for them. Runs that no parent waits for continue.
 * `stopDescendants` stops what the stopped ones have started.
 *
 * Race: a child that finishes in the meantime. Parents and children are locked before their waits, in
 * the order of their ids, as when a finished child wakes its parent.
 * @param limit of the waits ended by this transaction.
 * @returns how many there were (`limit` of them means that there may be more), and the runs that were stopped.
 */
export function stopOrphans(db: Database, limit: number): Promise<{ found: number; stopped: string[] }> {
  return db.$transaction(async (tx) => {
    // Served by waits_open; runs are joined by primary key.
    const left = await tx.$queryRaw<{ parentId: string; childId: string }[]>(Prisma.sql`/* executions.find-orphans */
      SELECT w.execution_id AS "parentId", w.child_execution_id AS "childId"
      FROM waits w JOIN executions p ON p.id = w.execution_id
      WHERE w.kind = 'workflow' AND w.answered_at IS NULL AND w.child_execution_id IS NOT NULL
        AND ${IS_ORPHANED}
      LIMIT ${limit}`);
    if (left.length === 0) return { found: 0, stopped: [] };
    const [parentIds, childIds] = [left.map(({ parentId }) => parentId), left.map(({ childId }) => childId)];
    await tx.$executeRaw(Prisma.sql`
      SELECT 1 FROM executions e WHERE e.id = ANY(${[...parentIds, ...childIds]}::uuid[]) ${LOCK_RUNS}`);
    // Only the waits for these children: a batch that stops other children ends theirs.
    await tx.$executeRaw(Prisma.sql`/* executions.end-orphaned-waits */
      UPDATE waits w SET answered_at = now()
      FROM (
        SELECT execution_id, node_id, iteration FROM waits
        WHERE child_execution_id = ANY(${childIds}::uuid[]) AND execution_id = ANY(${parentIds}::uuid[])
          AND kind = 'workflow' AND answered_at IS NULL
        ORDER BY execution_id, node_id, iteration FOR UPDATE
      ) open
      WHERE w.execution_id = open.execution_id AND w.node_id = open.node_id AND w.iteration = open.iteration`);
    return { found: left.length, stopped: await stopRunsById(tx, childIds) };
  });
}

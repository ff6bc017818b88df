import { type Database, Prisma } from '../client.js';
import { stopWithChildren } from './stop.js';
import { isFinished } from './run-status.js';

/**
 * Stops runs that were started by runs which have ended without waiting for them to the end: they failed elsewhere, or their
 * time was up. A run that nobody was to wait for goes on.
 *
 * The race it excludes: a child that finishes meanwhile. Parents and children are locked before their waits, in the order of
 * their ids, as whoever answers parents does.
 * @returns the runs that were stopped, for the workers to be told.
 */
export function stopOrphans(db: Database, limit: number): Promise<string[]> {
  return db.$transaction(async (tx) => {
    // Served by waits_open; runs are joined by primary key.
    const left = await tx.$queryRaw<{ parentId: string; childId: string }[]>(Prisma.sql`/* executions.find-orphans */
      SELECT w.execution_id AS "parentId", w.child_execution_id AS "childId"
      FROM waits w JOIN executions p ON p.id = w.execution_id
      WHERE w.kind = 'workflow' AND w.answered_at IS NULL AND w.child_execution_id IS NOT NULL
        AND ${isFinished(Prisma.sql`p`)} AND p.status <> 'success'
      LIMIT ${limit}`);
    if (left.length === 0) return [];
    const [parentIds, childIds] = [left.map(({ parentId }) => parentId), left.map(({ childId }) => childId)];
    await tx.$executeRaw(Prisma.sql`
      SELECT 1 FROM executions WHERE id = ANY(${[...parentIds, ...childIds]}::uuid[]) ORDER BY id FOR UPDATE`);
    await tx.$executeRaw(Prisma.sql`
      UPDATE waits SET answered_at = now()
      WHERE execution_id = ANY(${parentIds}::uuid[]) AND kind = 'workflow' AND answered_at IS NULL`);
    return stopWithChildren(tx, childIds);
  });
}

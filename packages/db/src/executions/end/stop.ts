import { canMove, DeckhandError } from '@deckhand/contracts';
import type { Actor } from '../../access.ts';
import { type Database, Prisma, type Queryable } from '../../client.ts';
import { lockExecution } from '../lock.ts';
import { endRuns, isUnfinished } from '../run-status.ts';

/**
 * Called with each batch of stopped runs, at most some hundreds, so that workers and callers are notified as it goes
 * on.
 */
export type OnStopped = (executionIds: readonly string[]) => Promise<void>;

/**
 * Stops an unfinished run. Once this is committed, no node of it starts, it starts no other run, and no later write
 * changes it, because its epoch is raised. `stopDescendants`, or maintenance, stops the runs that it started.
 * @throws DeckhandError NOT_FOUND, FORBIDDEN, or INVALID_STATE when it is finished.
 */
export function stopExecution(db: Database, actor: Actor, executionId: string): Promise<void> {
  return db.$transaction(async (tx) => {
    const { status } = await lockExecution(tx, actor, executionId, 'runs.control');
    if (!canMove(status, 'stop')) {
      throw new DeckhandError('INVALID_STATE', { message: `The run is finished (${status})` });
    }
    await stopRunsById(tx, [executionId]);
  });
}

/**
 * Returns the condition for an unfinished child `e` of the run with the given id, in the words of the index
 * executions_unfinished_children.
 */
export function isUnfinishedChildOf(parentId: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`e.parent_execution_id = ${parentId} AND e.parent_execution_id IS NOT NULL AND ${isUnfinished()}`;
}

/**
 * Stops those of the given runs that are unfinished, and records in `stopped_parents` which of them have unfinished
 * children.
 *
 * Race: a child that is accepted in the meantime. `startChild` shares the lock of the parent's row.
 * Either it comes first, and the last statement here sees the child, or it finds the parent stopped.
 * @param error why they are stopped, as `RunEnding` has it.
 * @returns the ids of the runs that it stopped.
 */
export async function stopRunsById(
  tx: Queryable,
  executionIds: readonly string[],
  error: Prisma.Sql | null = null,
): Promise<string[]> {
  const stopped = await endRuns(tx, executionIds, { event: 'stop', error });
  if (stopped.length === 0) return [];
  // A separate statement, whose snapshot is taken after the parents' rows are locked.
  await tx.$executeRaw(Prisma.sql`/* executions.note-stopped-parents */
    INSERT INTO stopped_parents (execution_id)
    SELECT p.id FROM unnest(${stopped}::uuid[]) AS p(id)
    WHERE EXISTS (SELECT 1 FROM executions e WHERE ${isUnfinishedChildOf(Prisma.sql`p.id`)})`);
  return stopped;
}

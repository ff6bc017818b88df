import { canMove, DeckhandError } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import { type Database, Prisma, type Queryable } from '../client.js';
import { lockExecution } from './lock.js';
import { endRuns } from './run-status.js';

/**
 * Stops an unfinished run and the runs that it started. Once this is committed no node of theirs starts and no later write
 * changes them: their epoch is raised. Whoever holds them is to be told, so that what is in flight ends at once.
 * @returns the ids of the runs that were stopped, the given one first.
 * @throws DeckhandError NOT_FOUND, FORBIDDEN, or INVALID_STATE when it is finished.
 */
export function stopExecution(db: Database, actor: Actor, executionId: string): Promise<string[]> {
  return db.$transaction(async (tx) => {
    const { status } = await lockExecution(tx, actor, executionId);
    if (!canMove(status, 'stop')) {
      throw new DeckhandError('INVALID_STATE', { message: `The run is finished (${status})` });
    }
    return stopWithChildren(tx, [executionId]);
  });
}

/** Stops the given runs, which the caller has locked or may stop, with all that they started. Repeating it is harmless. */
export async function stopWithChildren(tx: Queryable, executionIds: readonly string[]): Promise<string[]> {
  const family = await tx.$queryRaw<{ id: string }[]>(Prisma.sql`
    WITH RECURSIVE family AS (
      SELECT id FROM executions WHERE id = ANY(${[...executionIds]}::uuid[])
      UNION
      SELECT child.id FROM executions child JOIN family ON child.parent_execution_id = family.id
    )
    SELECT id FROM family`);
  const stopped = await endRuns(
    tx,
    family.map(({ id }) => id),
    { trigger: 'stop', error: null },
  );
  return stopped.sort((a, b) => Number(executionIds.includes(b)) - Number(executionIds.includes(a)));
}

import { Prisma } from '../client.js';

/**
 * The part `free` of a statement: those of the given runs that wait for their index and are not being indexed now. They
 * cannot be until the statement is over.
 */
export function waitingForIndex(executionIds: readonly string[]): Prisma.Sql {
  return Prisma.sql`free AS (
      SELECT execution_id FROM unindexed_executions WHERE execution_id = ANY(${[...executionIds]}::uuid[])
      ORDER BY execution_id FOR UPDATE SKIP LOCKED
    )`;
}

/**
 * The run `e` is not being indexed, in a statement that has `free`. Whoever indexes it has read what is about to be
 * taken, and would store it again.
 */
export const isNotBeingIndexed = Prisma.sql`(e.id IN (SELECT execution_id FROM free)
          OR NOT EXISTS (SELECT 1 FROM unindexed_executions u WHERE u.execution_id = e.id))`;

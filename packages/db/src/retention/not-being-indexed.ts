import { Prisma } from '../client.js';

/**
 * Returns the common table expression `free`: those of the given runs that wait to be indexed, locked so that they
 * cannot be indexed until the statement ends.
 */
export function waitingForIndex(executionIds: readonly string[]): Prisma.Sql {
  return Prisma.sql`free AS (
      SELECT execution_id FROM unindexed_executions WHERE execution_id = ANY(${[...executionIds]}::uuid[])
      ORDER BY execution_id FOR UPDATE SKIP LOCKED
    )`;
}

/**
 * Returns the condition, in a statement with `free`, that the run `e` is not being indexed. The process that indexes it
 * has read its texts, and would store them again after they were deleted.
 */
export const isNotBeingIndexed = Prisma.sql`(e.id IN (SELECT execution_id FROM free)
          OR NOT EXISTS (SELECT 1 FROM unindexed_executions u WHERE u.execution_id = e.id))`;

import { Prisma, type Queryable } from '../client.js';
import { executionError, executionText } from './execution-text.js';

/** Adds the given finished runs to the search index. Until then, a search reads them one by one. @returns how many. */
export function indexExecutions(db: Queryable, executionIds: readonly string[]): Promise<number> {
  return db.$executeRaw(Prisma.sql`/* search.index-executions */
    WITH taken AS (
      DELETE FROM unindexed_executions
      WHERE execution_id IN (
        SELECT execution_id FROM unindexed_executions WHERE execution_id = ANY(${[...executionIds]}::uuid[])
        ORDER BY execution_id FOR UPDATE SKIP LOCKED)
      RETURNING execution_id
    )
    INSERT INTO execution_texts (execution_id, workspace_id, text, error)
    SELECT e.id, e.workspace_id, ${executionText}, ${executionError}
    FROM taken JOIN executions e ON e.id = taken.execution_id
    ON CONFLICT (execution_id) DO UPDATE SET text = EXCLUDED.text, error = EXCLUDED.error`);
}

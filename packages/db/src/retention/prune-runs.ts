import { Prisma, type Queryable } from '../client.js';
import { deletionOfTaken } from '../executions/delete-taken.js';
import { LOCK_FREE_RUNS } from '../lock-order.js';
import { isNotRepeated } from '../maintenance/find-runs.js';
import { isNotBeingIndexed, waitingForIndex } from './not-being-indexed.js';

/**
 * Deletes those of the given runs that are finished and whose data is gone.
 * @returns how many.
 */
export async function pruneRuns(db: Queryable, executionIds: readonly string[]): Promise<number> {
  const [row] = await db.$queryRaw<{ count: number }[]>(Prisma.sql`/* retention.prune-runs */
    WITH ${waitingForIndex(executionIds)}, taken AS (
      SELECT e.id FROM executions e
      WHERE e.id = ANY(${[...executionIds]}::uuid[])
        AND e.finished_at IS NOT NULL AND e.trigger_data IS NULL AND ${isNotRepeated}
        AND ${isNotBeingIndexed}
      ${LOCK_FREE_RUNS}
    ), ${deletionOfTaken}
    SELECT count(*)::int AS count FROM taken`);
  return row?.count ?? 0;
}

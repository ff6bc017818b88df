import { type Database, Prisma, type Queryable } from '../client.ts';
import { addFailures, type Failure, findFailures } from '../failure-groups/add-failures.ts';
import { countRuns } from '../insights/run-days.ts';
import { executionError, executionText } from './execution-text.ts';

/**
 * Adds the given finished runs to the search index, failed ones to their failure groups, and those that are not counted
 * yet to their days. Until then, a search reads them one by one. @returns how many.
 */
export async function indexExecutions(db: Database, executionIds: readonly string[]): Promise<number> {
  const failures = await findFailures(db, executionIds);
  return failures.length === 0 ? indexTexts(db, executionIds) : indexFailures(db, executionIds, failures);
}

/** Runs that are taken from the work list, as SQL. */
const taking = (executionIds: readonly string[]): Prisma.Sql => Prisma.sql`
  DELETE FROM unindexed_executions
  WHERE execution_id IN (
    SELECT execution_id FROM unindexed_executions WHERE execution_id = ANY(${[...executionIds]}::uuid[])
    ORDER BY execution_id FOR UPDATE SKIP LOCKED)
  RETURNING execution_id, failure_group_id, is_counted`;

/** Counts the runs of `taken` in their days, as SQL. */
const COUNTED = Prisma.sql`uncounted AS (
    SELECT execution_id FROM taken WHERE NOT is_counted
  ), ${countRuns(Prisma.sql`uncounted`)}`;

/** The texts of the runs of `taken`, as SQL. */
const INSERT_TEXTS = Prisma.sql`
  INSERT INTO execution_texts (execution_id, workspace_id, text, error, failure_group_id)
  SELECT e.id, e.workspace_id, ${executionText}, ${executionError}, taken.failure_group_id
  FROM taken JOIN executions e ON e.id = taken.execution_id
  ON CONFLICT (execution_id) DO UPDATE
    SET text = EXCLUDED.text, error = EXCLUDED.error, failure_group_id = EXCLUDED.failure_group_id`;

function indexTexts(db: Queryable, executionIds: readonly string[]): Promise<number> {
  return db.$executeRaw(Prisma.sql`/* search.index-executions */
    WITH taken AS (${taking(executionIds)}), ${COUNTED} ${INSERT_TEXTS}`);
}

/**
 * Indexes runs and counts them and their failures in one transaction, so that each is counted once.
 *
 * Race: another process that has indexed such a run since its failure was read. Then either the run is no longer on the
 * work list, or retention has put it back with its group.
 */
function indexFailures(db: Database, executionIds: readonly string[], failures: readonly Failure[]): Promise<number> {
  return db.$transaction(async (tx) => {
    const taken = await tx.$queryRaw<
      { id: string; groupId: string | null; isCounted: boolean }[]
    >(Prisma.sql`/* search.take */
      WITH taken AS (${taking(executionIds)})
      SELECT execution_id AS id, failure_group_id AS "groupId", is_counted AS "isCounted" FROM taken`);
    const uncounted = new Set(taken.filter(({ groupId }) => groupId === null).map(({ id }) => id));
    const groups = await addFailures(
      tx,
      failures.filter(({ executionId }) => uncounted.has(executionId)),
    );
    const groupIds = taken.map(({ id, groupId }) => groupId ?? groups.get(id) ?? null);
    return tx.$executeRaw(Prisma.sql`/* search.index-failures */
      WITH taken AS (
        SELECT * FROM unnest(${taken.map(({ id }) => id)}::uuid[], ${groupIds}::uuid[],
          ${taken.map(({ isCounted }) => isCounted)}::boolean[]) AS t (execution_id, failure_group_id, is_counted)
      ), ${COUNTED} ${INSERT_TEXTS}`);
  });
}

import { type Database, Prisma } from '../client.js';
import { operatorConditions, type OperatorFilter } from './filter.js';
import { isUnfinished } from '../executions/run-status.js';

/** The number of unfinished runs that match. */
export interface UnfinishedRuns {
  readonly total: number;
  /** Ids of the oldest few. */
  readonly examples: readonly string[];
}

/**
 * Counts the unfinished runs that match, and returns the ids of the oldest few. Its cost depends on the number of
 * unfinished runs only.
 */
export async function findUnfinished(
  db: Database,
  filter: OperatorFilter,
  options: { readonly examples: number },
): Promise<UnfinishedRuns> {
  const [row] = await db.$queryRaw<{ total: number; examples: string[] | null }[]>(Prisma.sql`
    SELECT count(*)::int AS total, (array_agg(e.id ORDER BY e.id))[1:${options.examples}::int]::text[] AS examples
    FROM executions e
    WHERE ${operatorConditions(filter)}
      AND ${isUnfinished()}`);
  return { total: row?.total ?? 0, examples: row?.examples ?? [] };
}

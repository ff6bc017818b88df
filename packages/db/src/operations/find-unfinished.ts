import { type Database, Prisma } from '../client.js';
import { operatorConditions, type OperatorFilter } from './filter.js';
import { isUnfinished } from '../executions/run-status.js';

/** Unfinished runs that fit, counted. */
export interface UnfinishedRuns {
  readonly total: number;
  /** Ids of the oldest few. */
  readonly examples: readonly string[];
}

/** Counts the unfinished runs that fit and names the oldest few. Costs what there is of unfinished runs. */
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

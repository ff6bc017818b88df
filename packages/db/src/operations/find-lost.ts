import { type Database, Prisma } from '../client.js';
import type { DispatchedExecution } from '../executions/reconcile.js';
import { operatorConditions, type OperatorFilter } from './filter.js';
import { DISPATCHED, IS_HELD, IS_UNCLAIMED } from '../executions/run-status.js';

/**
 * Finds a page of the runs that match and whose current dispatch is unclaimed, in the order of their ids. The queue
 * knows whether their jobs are lost. Runs that were dispatched after `dispatchedBefore` are left out: their jobs may be
 * on their way.
 */
export function findUnclaimedRuns(
  db: Database,
  filter: OperatorFilter,
  page: { readonly dispatchedBefore: Date; readonly afterId: string | undefined; readonly limit: number },
): Promise<DispatchedExecution[]> {
  return db.$queryRaw<DispatchedExecution[]>(Prisma.sql`
    SELECT ${DISPATCHED} FROM executions e
    WHERE ${operatorConditions(filter)}
      AND ${IS_UNCLAIMED}
      AND e.dispatched_at < ${page.dispatchedBefore}::timestamptz
      AND e.id > ${page.afterId ?? '00000000-0000-0000-0000-000000000000'}::uuid
    ORDER BY e.id LIMIT ${page.limit}`);
}

/** Counts the runs that match and that the given workers hold, and returns the ids of the oldest few. */
export async function findHeldRuns(
  db: Database,
  filter: OperatorFilter,
  options: { readonly workerIds: readonly string[]; readonly examples: number },
): Promise<{ readonly total: number; readonly examples: readonly string[] }> {
  const [row] = await db.$queryRaw<{ total: number; examples: string[] | null }[]>(Prisma.sql`
    SELECT count(*)::int AS total, (array_agg(e.id ORDER BY e.id))[1:${options.examples}::int]::text[] AS examples
    FROM executions e
    WHERE ${operatorConditions(filter)}
      AND e.worker_id = ANY(${[...options.workerIds]}::uuid[]) AND ${IS_HELD}`);
  return { total: row?.total ?? 0, examples: row?.examples ?? [] };
}

import { type Database, Prisma } from '../client.js';
import type { ReleasedExecution } from '../executions/release.js';
import { LOCK_FREE_RUNS } from '../lock-order.js';
import { operatorConditions, type OperatorFilter } from './filter.js';
import { IS_HELD, RELEASE, RELEASED } from '../executions/run-status.js';

/**
 * Takes matching runs from dead workers, as maintenance does: running ones are dispatched again, paused ones rest. A
 * run that another process has taken in the meantime is not changed. May be repeated, and run twice at the same time.
 */
export function requeueHeldRuns(
  db: Database,
  filter: OperatorFilter,
  options: { readonly workerIds: readonly string[]; readonly limit: number },
): Promise<ReleasedExecution[]> {
  const workerIds = [...options.workerIds];
  return db.$queryRaw<ReleasedExecution[]>(Prisma.sql`
    UPDATE executions e
    SET ${RELEASE}
    WHERE e.id IN (
      SELECT e.id FROM executions e
      WHERE ${operatorConditions(filter)} AND e.worker_id = ANY(${workerIds}::uuid[]) AND ${IS_HELD}
      ${LOCK_FREE_RUNS} LIMIT ${options.limit})
    RETURNING ${RELEASED}`);
}

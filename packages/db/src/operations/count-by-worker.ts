import type { Database } from '../client.js';
import { IS_HELD } from '../executions/run-status.js';

/** Counts the unfinished runs of each worker, live or not; workers without any are left out. */
export async function countRunsByWorker(db: Database): Promise<ReadonlyMap<string, number>> {
  // Served by executions_held, which contains only runs that a worker holds.
  const rows = await db.$queryRaw<{ workerId: string; runs: number }[]>`
    SELECT e.worker_id AS "workerId", count(*)::int AS runs FROM executions e WHERE ${IS_HELD} GROUP BY e.worker_id`;
  return new Map(rows.map(({ workerId, runs }) => [workerId, runs]));
}

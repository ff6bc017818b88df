import type { Database } from '../client.js';

/** How many unfinished runs each worker holds, whether it is still there or not; workers without any are left out. */
export async function countRunsByWorker(db: Database): Promise<ReadonlyMap<string, number>> {
  // Served by executions_held, which has only runs that somebody holds.
  const rows = await db.$queryRaw<{ workerId: string; runs: number }[]>`
    SELECT worker_id AS "workerId", count(*)::int AS runs FROM executions
    WHERE worker_id IS NOT NULL AND status IN ('running', 'paused') GROUP BY worker_id`;
  return new Map(rows.map(({ workerId, runs }) => [workerId, runs]));
}

import type { Database } from '../client.js';

/** For how long the run that was dispatched first has waited to be claimed, in whole seconds; 0 when none waits. */
export async function oldestWaitingSeconds(db: Database): Promise<number> {
  // Served by executions_unclaimed.
  const [row] = await db.$queryRaw<{ seconds: number | null }[]>`
    SELECT floor(extract(epoch FROM now() - min(dispatched_at)))::int AS seconds FROM executions
    WHERE worker_id IS NULL AND claimed_dispatch < dispatch
      AND status IN ('pending', 'running', 'waiting_for_input', 'waiting_for_human')`;
  return Math.max(0, row?.seconds ?? 0);
}

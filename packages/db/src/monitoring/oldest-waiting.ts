import type { Database } from '../client.js';
import { IS_UNCLAIMED } from '../executions/run-status.js';

/** Returns how long the run that was dispatched first has waited to be claimed, in whole seconds; 0 if none waits. */
export async function oldestWaitingSeconds(db: Database): Promise<number> {
  // Served by executions_unclaimed.
  const [row] = await db.$queryRaw<{ seconds: number | null }[]>`
    SELECT floor(extract(epoch FROM now() - min(e.dispatched_at)))::int AS seconds FROM executions e
    WHERE ${IS_UNCLAIMED}`;
  return Math.max(0, row?.seconds ?? 0);
}

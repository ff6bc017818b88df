import type { Database } from '../client.js';

/** Notes that sessions were used now, except for those that another call is noting or deleting. */
export async function touchSessions(db: Database, ids: readonly string[]): Promise<void> {
  await db.$executeRaw`UPDATE sessions SET last_used_at = now() WHERE id IN (
    SELECT id FROM sessions WHERE id = ANY (${ids}::uuid[]) FOR UPDATE SKIP LOCKED)`;
}

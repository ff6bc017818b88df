import type { Database } from '../client.js';

/** Records that sessions were used now. Skips sessions that another call is recording or deleting. */
export async function touchSessions(db: Database, ids: readonly string[]): Promise<void> {
  await db.$executeRaw`UPDATE sessions SET last_used_at = now() WHERE id IN (
    SELECT id FROM sessions WHERE id = ANY (${ids}::uuid[]) FOR UPDATE SKIP LOCKED)`;
}

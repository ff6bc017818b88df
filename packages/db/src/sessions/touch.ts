import type { Database } from '../client.js';

/** Notes that sessions were used now. */
export async function touchSessions(db: Database, ids: readonly string[]): Promise<void> {
  await db.$executeRaw`UPDATE sessions SET last_used_at = now() WHERE id = ANY (${ids}::uuid[])`;
}

import type { Database } from '../client.js';

/** Records that keys were used now. Skips keys that another call is recording or deleting. */
export async function touchApiKeys(db: Database, ids: readonly string[]): Promise<void> {
  await db.$executeRaw`UPDATE api_keys SET last_used_at = now() WHERE id IN (
    SELECT id FROM api_keys WHERE id = ANY (${ids}::uuid[]) FOR UPDATE SKIP LOCKED)`;
}

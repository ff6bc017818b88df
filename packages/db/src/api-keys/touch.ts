import type { Database } from '../client.js';

/** Notes that keys were used now. */
export async function touchApiKeys(db: Database, ids: readonly string[]): Promise<void> {
  await db.$executeRaw`UPDATE api_keys SET last_used_at = now() WHERE id = ANY (${ids}::uuid[])`;
}

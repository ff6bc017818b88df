import { isOneOf } from '../batch.js';
import { type Database, Prisma } from '../client.js';

/** An API key that is valid now: not revoked, not expired. */
export interface ValidApiKey {
  readonly apiKeyId: string;
  readonly userId: string;
  readonly boundTo: string | null;
  readonly scopes: readonly string[];
}

interface Row {
  readonly key_hash: string;
  readonly id: string;
  readonly user_id: string;
  readonly workspace_id: string | null;
  readonly scopes: string[];
}

/**
 * Looks up many keys by their hashes. Revoked, expired and unknown ones are undefined. The result is never cached: once
 * a revocation has been confirmed, it holds for every replica.
 */
export async function findApiKeys(db: Database, hashes: readonly string[]): Promise<(ValidApiKey | undefined)[]> {
  const rows = await db.$queryRaw<Row[]>`/* api-keys.find */
    SELECT key_hash, id, user_id, workspace_id, scopes
    FROM api_keys
    WHERE ${isOneOf(Prisma.sql`key_hash`, [...new Set(hashes)], 'text')}
      AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`;
  const found = new Map(
    rows.map((row) => [
      row.key_hash,
      { apiKeyId: row.id, userId: row.user_id, boundTo: row.workspace_id, scopes: row.scopes },
    ]),
  );
  return hashes.map((hash) => found.get(hash));
}

import type { Database } from '../client.js';

/** Credentials that one key sealed. */
export interface CredentialsOfKey {
  /** One of them, as it is kept: its header names the key. */
  readonly jwe: string;
  readonly credentials: number;
}

/** How many credentials, of all workspaces, each key sealed. */
export function countCredentialsByKey(db: Database): Promise<CredentialsOfKey[]> {
  // What comes before a JWE's first dot is its header, which is the same wherever the key is.
  return db.$queryRaw<CredentialsOfKey[]>`
    SELECT min(secret) AS jwe, count(*)::int AS credentials FROM credentials GROUP BY split_part(secret, '.', 1)`;
}

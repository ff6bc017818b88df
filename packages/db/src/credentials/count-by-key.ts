import type { Database } from '../client.js';

/** The credentials that one key has encrypted. */
export interface CredentialsOfKey {
  /** An encrypted credential, as it is stored: its header names the key. */
  readonly jwe: string;
  readonly credentials: number;
}

/** Counts the credentials of all workspaces by the key that encrypted them. */
export function countCredentialsByKey(db: Database): Promise<CredentialsOfKey[]> {
  // The part of a JWE before its first dot is its header, which is the same for all credentials of a key.
  return db.$queryRaw<CredentialsOfKey[]>`
    SELECT min(secret) AS jwe, count(*)::int AS credentials FROM credentials GROUP BY split_part(secret, '.', 1)`;
}

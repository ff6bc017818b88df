import type { User } from '@deckhand/contracts';
import type { Database } from '../client.js';

/** A valid session, and its person. */
export interface ValidSession {
  readonly sessionId: string;
  readonly user: User;
}

interface Row {
  readonly token_hash: string;
  readonly id: string;
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly is_admin: boolean;
}

/** Looks up many sessions by the hashes of their tokens. Sessions that ended or expired are undefined. */
export async function findSessions(db: Database, hashes: readonly string[]): Promise<(ValidSession | undefined)[]> {
  const rows = await db.$queryRaw<Row[]>`/* sessions.find */
    SELECT s.token_hash, s.id, s.user_id, u.email, u.name, u.is_admin
    FROM sessions s
    JOIN users u ON u.id = s.user_id
    WHERE s.token_hash = ANY (${[...new Set(hashes)]}::text[]) AND s.expires_at > now()`;
  const found = new Map(
    rows.map((row) => [
      row.token_hash,
      { sessionId: row.id, user: { id: row.user_id, email: row.email, name: row.name, isAdmin: row.is_admin } },
    ]),
  );
  return hashes.map((hash) => found.get(hash));
}

import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../client.js';

/** How long a session lasts, in ms: 30 days. */
const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1_000;

/** Keeps a new session's hash, and forgets the person's sessions that are over. @returns when it expires. */
export async function createSession(
  db: Database,
  session: { userId: string; tokenHash: string; userAgent: string },
): Promise<Date> {
  const now = Date.now();
  const expiresAt = new Date(now + SESSION_LIFETIME_MS);
  await db.session.deleteMany({ where: { userId: session.userId, expiresAt: { lt: new Date(now) } } });
  await db.session.create({ data: { id: uuidv7(), ...session, expiresAt } });
  return expiresAt;
}

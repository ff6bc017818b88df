import { v7 as uuidv7 } from 'uuid';
import type { Actor } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';

/** How long a session lasts, in ms: 30 days. */
const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1_000;

/**
 * Stores the hash of a new session, records the sign-in in the audit log, and deletes the person's expired sessions.
 * @param actor who signs in. @returns when the session expires.
 */
export async function createSession(
  db: Database,
  actor: Actor,
  session: { tokenHash: string; userAgent: string },
): Promise<Date> {
  const now = Date.now();
  const expiresAt = new Date(now + SESSION_LIFETIME_MS);
  const { userId } = actor;
  await db.session.deleteMany({ where: { userId, expiresAt: { lt: new Date(now) } } });
  await db.$transaction(async (tx) => {
    const id = uuidv7();
    await tx.session.create({ data: { id, userId, ...session, expiresAt } });
    await recordChange(tx, actor, { action: 'session.create', workspaceId: null, resourceId: id });
  });
  return expiresAt;
}

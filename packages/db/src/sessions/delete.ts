import { DeckhandError } from '@deckhand/contracts';
import type { Database } from '../client.js';

/** Ends a session. Ending it twice is harmless. */
export async function deleteSession(db: Database, sessionId: string): Promise<void> {
  await db.session.deleteMany({ where: { id: sessionId } });
}

/** Ends one of a person's own sessions. @throws DeckhandError NOT_FOUND when the person has no such session. */
export async function deleteOwnSession(db: Database, userId: string, sessionId: string): Promise<void> {
  const { count } = await db.session.deleteMany({ where: { id: sessionId, userId, expiresAt: { gt: new Date() } } });
  if (count === 0) throw new DeckhandError('NOT_FOUND', { message: 'No such session' });
}

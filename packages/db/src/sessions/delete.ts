import type { Database } from '../client.js';

/** Ends a session. Ending it twice is harmless. */
export async function deleteSession(db: Database, sessionId: string): Promise<void> {
  await db.session.deleteMany({ where: { id: sessionId } });
}

import { type ApiKeyEntry, DeckhandError } from '@deckhand/contracts';
import type { Database } from '../client.js';
import { toApiKeyEntry } from './entry.js';

/**
 * Revokes a person's own key for good. Revoking it again changes nothing, not even the time.
 * @throws DeckhandError NOT_FOUND when the person has no such key.
 */
export async function revokeApiKey(db: Database, userId: string, id: string): Promise<ApiKeyEntry> {
  await db.apiKey.updateMany({ where: { id, userId, revokedAt: null }, data: { revokedAt: new Date() } });
  const row = await db.apiKey.findFirst({ where: { id, userId } });
  if (!row) throw new DeckhandError('NOT_FOUND', { message: 'No such API key' });
  return toApiKeyEntry(row);
}

import { type ApiKeyEntry, DeckhandError } from '@deckhand/contracts';
import type { Database } from '../client.js';
import { toApiKeyEntry } from './entry.js';

/** Reads one key. @throws DeckhandError NOT_FOUND when it is gone, with its owner or its workspace. */
export async function readApiKey(db: Database, id: string): Promise<ApiKeyEntry> {
  const row = await db.apiKey.findUnique({ where: { id } });
  if (!row) throw new DeckhandError('NOT_FOUND', { message: 'No such API key' });
  return toApiKeyEntry(row);
}

import { type ApiKeyEntry, DeckhandError } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { toApiKeyEntry } from './entry.js';

/**
 * Revokes a person's own key for good. Revoking it again changes nothing, not even the time.
 * @throws DeckhandError NOT_FOUND when the person has no such key.
 */
export function revokeApiKey(db: Database, actor: Actor, id: string): Promise<ApiKeyEntry> {
  const { userId } = actor;
  return db.$transaction(async (tx) => {
    const unrevoked = { id, userId, revokedAt: null };
    const { count } = await tx.apiKey.updateMany({ where: unrevoked, data: { revokedAt: new Date() } });
    const row = await tx.apiKey.findFirst({ where: { id, userId } });
    if (!row) throw new DeckhandError('NOT_FOUND', { message: 'No such API key' });
    if (count > 0) {
      await recordChange(tx, actor, { action: 'apiKey.revoke', workspaceId: row.workspaceId, resourceId: id });
    }
    return toApiKeyEntry(row);
  });
}

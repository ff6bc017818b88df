import { accessLabel, type ApiKeyEntry } from '@deckhand/contracts';
import type { ApiKey } from '../generated/client.js';

/** Converts a key to its entry in lists, without the key and its hash. */
export function toApiKeyEntry(key: ApiKey, now = new Date()): ApiKeyEntry {
  return {
    id: key.id,
    name: key.name,
    keyPrefix: key.keyPrefix,
    access: accessLabel(key.scopes),
    scopes: key.scopes,
    createdAt: key.createdAt.toISOString(),
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    expiresAt: key.expiresAt?.toISOString() ?? null,
    state: stateOf(key, now),
    workspaceId: key.workspaceId,
  };
}

function stateOf(key: ApiKey, now: Date): ApiKeyEntry['state'] {
  if (key.revokedAt !== null) return 'Revoked';
  return key.expiresAt !== null && key.expiresAt <= now ? 'Expired' : 'Active';
}

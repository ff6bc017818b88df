import { v7 as uuidv7 } from 'uuid';
import { type ApiKeyEntry, DeckhandError } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import type { CreatedApiKeyEntry, NewApiKey } from './create.js';
import { toApiKeyEntry } from './entry.js';

/** The key that replaces another one. */
export interface SuccessorKey extends Pick<NewApiKey, 'keyPrefix' | 'keyHash'> {
  /** Undefined keeps the expiry of the replaced key. */
  readonly expiresAt: Date | null | undefined;
  /** The encrypted secret for the credential that contains the replaced key, if there is one. */
  readonly credentialSecret: string;
  /** How long the replaced key stays valid, in ms. */
  readonly overlapMs: number;
}

/** Reads a person's own key. @throws DeckhandError NOT_FOUND when the person has no such key. */
export async function readOwnApiKey(db: Database, userId: string, id: string): Promise<ApiKeyEntry> {
  const row = await db.apiKey.findFirst({ where: { id, userId } });
  if (!row) throw noSuchKey();
  return toApiKeyEntry(row);
}

/**
 * Replaces a person's own key by one with the same name, scopes and workspace. The replaced key ends after the overlap,
 * or at its own expiry if that is earlier. A credential that contains it contains the new key from now on.
 * @throws DeckhandError NOT_FOUND when the person has no such key; INVALID_STATE when it is revoked or expired.
 */
export function rotateApiKey(
  db: Database,
  actor: Actor,
  id: string,
  successor: SuccessorKey,
): Promise<CreatedApiKeyEntry> {
  const { userId } = actor;
  const { overlapMs, credentialSecret, keyPrefix, keyHash } = successor;
  return db.$transaction(async (tx) => {
    const old = await tx.apiKey.findFirst({ where: { id, userId } });
    if (!old) throw noSuchKey();
    if (toApiKeyEntry(old).state !== 'Active') throw notActive();
    const { name, scopes, workspaceId, credentialId } = old;
    const until = new Date(Date.now() + overlapMs);
    const expiresAt = old.expiresAt !== null && old.expiresAt < until ? old.expiresAt : until;
    const { count } = await tx.apiKey.updateMany({
      where: { id, userId, revokedAt: null, credentialId },
      data: { expiresAt, credentialId: null },
    });
    if (count === 0) throw notActive();
    if (credentialId !== null) {
      await tx.credential.updateMany({ where: { id: credentialId }, data: { secret: credentialSecret } });
    }
    const row = await tx.apiKey.create({
      data: {
        ...{ id: uuidv7(), userId, name, scopes, workspaceId, credentialId, keyPrefix, keyHash },
        expiresAt: successor.expiresAt === undefined ? old.expiresAt : successor.expiresAt,
      },
    });
    const details = { successor: row.id, until: expiresAt.toISOString() };
    await recordChange(tx, actor, { action: 'apiKey.rotate', workspaceId, resourceId: id, details });
    return { ...toApiKeyEntry(row), credentialId };
  });
}

function noSuchKey(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'No such API key' });
}

function notActive(): DeckhandError {
  return new DeckhandError('INVALID_STATE', { message: 'Only an active key can be rotated' });
}

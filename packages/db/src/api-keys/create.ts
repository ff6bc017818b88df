import { v7 as uuidv7 } from 'uuid';
import type { ApiKeyEntry } from '@deckhand/contracts';
import { type Actor, rolesFrom, visibleWorkspace } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database, Queryable } from '../client.js';
import { toApiKeyEntry } from './entry.js';

/** A key to store: its hash, never the key itself. */
export interface NewApiKey {
  /** Binds the key to this workspace. */
  readonly workspaceId: string | null;
  readonly name: string;
  readonly keyPrefix: string;
  readonly keyHash: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
  /** The encrypted secret of a credential to save along with it; null for none. */
  readonly credentialSecret: string | null;
}

/** The entry of a new key, without the key itself. */
export interface CreatedApiKeyEntry extends ApiKeyEntry {
  readonly credentialId: string | null;
}

/** Returns those of the given workflows that the actor cannot see. */
export async function findUnseenWorkflows(db: Database, actor: Actor, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const where = { id: { in: [...ids] }, workspace: visibleWorkspace(actor) };
  const found = await db.workflow.findMany({ where, select: { id: true } });
  const seen = new Set(found.map(({ id }) => id));
  return ids.filter((id) => !seen.has(id));
}

/**
 * Stores a new key and, if requested, a private credential that contains it: in the workspace that the key is bound to,
 * otherwise in the first workspace where its creator may change credentials. If there is none, no credential is saved.
 */
export function createApiKey(db: Database, actor: Actor, key: NewApiKey): Promise<CreatedApiKeyEntry> {
  const { credentialSecret, scopes, ...columns } = key;
  return db.$transaction(async (tx) => {
    const credentialId = credentialSecret === null ? null : await saveCredential(tx, actor, key, credentialSecret);
    const row = await tx.apiKey.create({
      data: { id: uuidv7(), userId: actor.userId, ...columns, scopes: [...scopes], credentialId },
    });
    await recordChange(tx, actor, {
      action: 'apiKey.create',
      workspaceId: key.workspaceId,
      resourceId: row.id,
      details: { name: key.name, scopes },
    });
    return { ...toApiKeyEntry(row), credentialId };
  });
}

async function saveCredential(tx: Queryable, actor: Actor, key: NewApiKey, secret: string): Promise<string | null> {
  const membership = await tx.membership.findFirst({
    where: {
      userId: actor.userId,
      role: { in: rolesFrom('editor') },
      ...(key.workspaceId === null ? {} : { workspaceId: key.workspaceId }),
    },
    orderBy: [{ createdAt: 'asc' }, { workspaceId: 'asc' }],
    select: { workspaceId: true },
  });
  if (!membership) return null;
  const id = uuidv7();
  const { workspaceId } = membership;
  const owned = { ownerId: actor.userId, visibility: 'private' } as const;
  await tx.credential.create({
    data: { id, workspaceId, name: `API key ${key.name}`, type: 'apiKey', secret, ...owned },
  });
  return id;
}

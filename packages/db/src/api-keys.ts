import { v7 as uuidv7 } from 'uuid';
import { accessLabel, type ApiKeyEntry, DeckhandError, type Page, type PageOf, rolesWith } from '@deckhand/contracts';
import { type Actor, visibleWorkspace } from './access.ts';
import { recordKeyChange } from './audit/record.ts';
import { isOneOf } from './batch.ts';
import { type Database, Prisma, type Queryable } from './client.ts';
import type { ApiKey } from './generated/client.ts';
import { pageRange, toPage } from './paging.ts';
import { lockActiveUser } from './users.ts';

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
  /** Where the credential is saved; null for the first workspace where the creator may change credentials. */
  readonly credentialWorkspaceId: string | null;
}

/** The entry of a new key, without the key itself. */
export interface CreatedApiKeyEntry extends ApiKeyEntry {
  readonly credentialId: string | null;
}

/** Returns those of the given workflows that the actor cannot see. */
export async function findUnseenWorkflows(db: Database, actor: Actor, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const where = { id: { in: [...ids] }, workspace: visibleWorkspace(actor, 'workflows.read') };
  const found = await db.workflow.findMany({ where, select: { id: true } });
  const seen = new Set(found.map(({ id }) => id));
  return ids.filter((id) => !seen.has(id));
}

/**
 * Stores a new key and, if requested, a private credential that contains it. No credential is saved in a workspace
 * where the creator may not change credentials.
 */
export function createApiKey(db: Database, actor: Actor, key: NewApiKey): Promise<CreatedApiKeyEntry> {
  const { credentialSecret, credentialWorkspaceId: _, scopes, ...columns } = key;
  return db.$transaction(async (tx) => {
    await lockActiveUser(tx, actor.userId);
    const credentialId = credentialSecret === null ? null : await saveCredential(tx, actor, key, credentialSecret);
    const row = await tx.apiKey.create({
      data: { id: uuidv7(), userId: actor.userId, ...columns, scopes: [...scopes], credentialId },
    });
    await recordKeyChange(tx, actor, {
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
      role: { in: rolesWith('credentials.change') },
      ...(key.credentialWorkspaceId === null ? {} : { workspaceId: key.credentialWorkspaceId }),
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
    await lockActiveUser(tx, userId);
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
      await tx.credential.updateMany({
        where: { id: credentialId },
        data: { secret: credentialSecret, lastTest: Prisma.DbNull },
      });
    }
    const row = await tx.apiKey.create({
      data: {
        ...{ id: uuidv7(), userId, name, scopes, workspaceId, credentialId, keyPrefix, keyHash },
        expiresAt: successor.expiresAt === undefined ? old.expiresAt : successor.expiresAt,
      },
    });
    const details = { successor: row.id, until: expiresAt.toISOString() };
    await recordKeyChange(tx, actor, { action: 'apiKey.rotate', workspaceId, resourceId: id, details });
    return { ...toApiKeyEntry(row), credentialId };
  });
}

function noSuchKey(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'No such API key' });
}

function notActive(): DeckhandError {
  return new DeckhandError('INVALID_STATE', { message: 'Only an active key can be rotated' });
}

/** Lists a person's keys, the newest first, including revoked and expired ones. */
export async function listApiKeys(db: Database, userId: string, page: Page): Promise<PageOf<ApiKeyEntry>> {
  const where = { userId };
  const rows = await db.apiKey.findMany({
    where,
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    ...pageRange(page),
  });
  return toPage(
    page,
    rows,
    (row) => toApiKeyEntry(row),
    () => db.apiKey.count({ where }),
  );
}

/** Reads one key. @throws DeckhandError NOT_FOUND when it is gone, with its owner or its workspace. */
export async function readApiKey(db: Database, id: string): Promise<ApiKeyEntry> {
  const row = await db.apiKey.findUnique({ where: { id } });
  if (!row) throw new DeckhandError('NOT_FOUND', { message: 'No such API key' });
  return toApiKeyEntry(row);
}

/** An API key that is valid now: not revoked, not expired. */
export interface ValidApiKey {
  readonly apiKeyId: string;
  readonly userId: string;
  readonly boundTo: string | null;
  readonly scopes: readonly string[];
}

interface Row {
  readonly key_hash: string;
  readonly id: string;
  readonly user_id: string;
  readonly workspace_id: string | null;
  readonly scopes: string[];
}

/**
 * Looks up many keys by their hashes. Revoked, expired and unknown ones are undefined. The result is never cached: once
 * a revocation has been confirmed, it holds for every replica.
 */
export async function findApiKeys(db: Database, hashes: readonly string[]): Promise<(ValidApiKey | undefined)[]> {
  const rows = await db.$queryRaw<Row[]>`/* api-keys.find */
    SELECT key_hash, id, user_id, workspace_id, scopes
    FROM api_keys
    WHERE ${isOneOf(Prisma.sql`key_hash`, [...new Set(hashes)], 'text')}
      AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`;
  const found = new Map(
    rows.map((row) => [
      row.key_hash,
      { apiKeyId: row.id, userId: row.user_id, boundTo: row.workspace_id, scopes: row.scopes },
    ]),
  );
  return hashes.map((hash) => found.get(hash));
}

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
      await recordKeyChange(tx, actor, { action: 'apiKey.revoke', workspaceId: row.workspaceId, resourceId: id });
    }
    return toApiKeyEntry(row);
  });
}

/** Records that keys were used now. Skips keys that another call is recording or deleting. */
export async function touchApiKeys(db: Database, ids: readonly string[]): Promise<void> {
  await db.$executeRaw`UPDATE api_keys SET last_used_at = now() WHERE id IN (
    SELECT id FROM api_keys WHERE id = ANY (${ids}::uuid[]) FOR UPDATE SKIP LOCKED)`;
}

/** Converts a key to its entry in lists, without the key and its hash. */
function toApiKeyEntry(key: ApiKey, now = new Date()): ApiKeyEntry {
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

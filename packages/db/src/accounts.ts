import { type AccountEntry, DeckhandError, type Page, type PageOf } from '@deckhand/contracts';
import type { Actor } from './access.ts';
import { requireAdministrator } from './admin.ts';
import { recordChange } from './audit/record.ts';
import type { Database, Queryable } from './client.ts';
import { pageRange, toPage } from './paging.ts';

const ENTRY = {
  id: true,
  email: true,
  name: true,
  isAdmin: true,
  passwordHash: true,
  createdAt: true,
  deactivatedAt: true,
  identities: { select: { issuer: true } },
} as const;

/** Lists all people with an account, by address. @throws DeckhandError FORBIDDEN for no instance administrator. */
export async function listAccounts(db: Database, actor: Actor, page: Page): Promise<PageOf<AccountEntry>> {
  await requireAdministrator(db, actor);
  const rows = await db.user.findMany({ select: ENTRY, orderBy: { email: 'asc' }, ...pageRange(page) });
  return toPage(page, rows, toEntry, () => db.user.count());
}

/**
 * Deactivates a person: sessions, keys and links to a new password end with it. What the person made stays.
 * Deactivating again changes nothing.
 * @throws DeckhandError FORBIDDEN for no active administrator; NOT_FOUND; INVALID_STATE for oneself, so that one
 * administrator stays.
 */
export function deactivateAccount(db: Database, actor: Actor, userId: string): Promise<AccountEntry> {
  return db.$transaction(async (tx) => {
    await lockAccounts(tx, actor, userId);
    if (userId.toLowerCase() === actor.userId)
      throw new DeckhandError('INVALID_STATE', {
        message: 'You cannot deactivate yourself: another administrator can',
      });
    const now = new Date();
    const { count } = await tx.user.updateMany({
      where: { id: userId, deactivatedAt: null },
      data: { deactivatedAt: now },
    });
    if (count > 0) {
      await tx.session.deleteMany({ where: { userId } });
      await tx.passwordReset.deleteMany({ where: { userId } });
      await tx.apiKey.updateMany({ where: { userId, revokedAt: null }, data: { revokedAt: now } });
      await recordChange(tx, actor, { action: 'user.deactivate', workspaceId: null, resourceId: userId });
    }
    return readEntry(tx, userId);
  });
}

/**
 * Lets a person sign in again. Sessions and keys stay ended.
 * @throws DeckhandError FORBIDDEN for no active administrator; NOT_FOUND.
 */
export function activateAccount(db: Database, actor: Actor, userId: string): Promise<AccountEntry> {
  return db.$transaction(async (tx) => {
    await lockAccounts(tx, actor, userId);
    const { count } = await tx.user.updateMany({
      where: { id: userId, deactivatedAt: { not: null } },
      data: { deactivatedAt: null },
    });
    if (count > 0) await recordChange(tx, actor, { action: 'user.activate', workspaceId: null, resourceId: userId });
    return readEntry(tx, userId);
  });
}

/**
 * Disconnects a person from identity providers, and ends the sessions by them: the next sign-in connects anew, by the
 * address.
 * @throws DeckhandError FORBIDDEN for no active administrator; NOT_FOUND.
 */
export function disconnectAccount(db: Database, actor: Actor, userId: string): Promise<AccountEntry> {
  return db.$transaction(async (tx) => {
    await lockAccounts(tx, actor, userId);
    const { count } = await tx.identity.deleteMany({ where: { userId } });
    const change = { action: 'user.disconnectIdentity', workspaceId: null, resourceId: userId } as const;
    if (count > 0) await recordChange(tx, actor, change);
    return readEntry(tx, userId);
  });
}

/**
 * Locks the person and the acting administrator, in one order. Of two administrators who deactivate each other, the
 * second is refused: it is deactivated by then.
 */
async function lockAccounts(tx: Queryable, actor: Actor, userId: string): Promise<void> {
  await tx.$executeRaw`
    SELECT 1 FROM users WHERE id IN (${actor.userId}::uuid, ${userId}::uuid) ORDER BY id FOR UPDATE`;
  const administrator = await tx.user.findUnique({
    where: { id: actor.userId, isAdmin: true, deactivatedAt: null },
    select: { id: true },
  });
  if (!administrator) throw new DeckhandError('FORBIDDEN', { message: 'This needs an administrator of the instance' });
}

async function readEntry(tx: Queryable, id: string): Promise<AccountEntry> {
  const row = await tx.user.findUnique({ where: { id }, select: ENTRY });
  if (!row) throw new DeckhandError('NOT_FOUND', { message: 'No such person' });
  return toEntry(row);
}

/** Converts a person to an entry in lists, without the hash of the password. */
function toEntry(row: {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly isAdmin: boolean;
  readonly passwordHash: string | null;
  readonly createdAt: Date;
  readonly deactivatedAt: Date | null;
  readonly identities: readonly { readonly issuer: string }[];
}): AccountEntry {
  const { id, email, name, isAdmin } = row;
  return {
    ...{ id, email, name, isAdmin },
    hasPassword: row.passwordHash !== null,
    issuers: row.identities.map(({ issuer }) => issuer),
    createdAt: row.createdAt.toISOString(),
    deactivatedAt: row.deactivatedAt?.toISOString() ?? null,
  };
}

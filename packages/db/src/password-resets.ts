import { DeckhandError } from '@deckhand/contracts';
import type { Actor, Origin } from './access.ts';
import { recordChange } from './audit/record.ts';
import type { Database, Queryable } from './client.ts';
import { lockActiveUser } from './users.ts';

/** How long a link to a new password is valid, in ms: an hour. */
const RESET_LIFETIME_MS = 3_600_000;

/** A link to a new password that was made, for the person it is for. */
export interface CreatedPasswordReset {
  readonly email: string;
  readonly name: string;
  readonly expiresAt: Date;
}

/**
 * Stores the hash of the token of a link to a new password. The one before it becomes invalid.
 * @param breakGlass addresses, in lower case, that have a password beside an identity, as administrators do.
 * @returns undefined if no active person with a password of their own has the address.
 * @throws DeckhandError UNAUTHORIZED if the person was deactivated meanwhile.
 */
export function createPasswordReset(
  db: Database,
  given: { readonly email: string; readonly tokenHash: string; readonly breakGlass: ReadonlySet<string> },
): Promise<CreatedPasswordReset | undefined> {
  return db.$transaction(async (tx) => {
    const { tokenHash, breakGlass } = given;
    const where = { email: given.email.toLowerCase(), deactivatedAt: null };
    const user = await tx.user.findUnique({ where, select: { id: true, email: true, name: true, isAdmin: true } });
    if (!user) return undefined;
    await lockActiveUser(tx, user.id);
    const keepsPassword = user.isAdmin || breakGlass.has(user.email);
    if (!keepsPassword && (await tx.identity.findFirst({ where: { userId: user.id } }))) return undefined;
    return { email: user.email, name: user.name, expiresAt: await keepReset(tx, user.id, tokenHash) };
  });
}

/**
 * The same for an operator, who decides who gets a password. Ends all sessions of the person.
 * @returns undefined if no active person has the address.
 */
export function createPasswordResetByOperator(
  db: Database,
  { email, tokenHash }: { readonly email: string; readonly tokenHash: string },
): Promise<CreatedPasswordReset | undefined> {
  return db.$transaction(async (tx) => {
    const where = { email: email.toLowerCase(), deactivatedAt: null };
    const user = await tx.user.findUnique({ where, select: { id: true, email: true, name: true } });
    if (!user) return undefined;
    // Sessions are created under a shared lock of the person: none is created beside this.
    await tx.$executeRaw`SELECT 1 FROM users WHERE id = ${user.id}::uuid FOR NO KEY UPDATE`;
    await tx.session.deleteMany({ where: { userId: user.id } });
    return { email: user.email, name: user.name, expiresAt: await keepReset(tx, user.id, tokenHash) };
  });
}

/** Keeps a link in place of the one before it. @returns when it ends. */
async function keepReset(tx: Queryable, userId: string, tokenHash: string): Promise<Date> {
  const createdAt = new Date();
  const reset = { tokenHash, createdAt, expiresAt: new Date(createdAt.getTime() + RESET_LIFETIME_MS) };
  await tx.passwordReset.upsert({ where: { userId }, create: { userId, ...reset }, update: reset });
  const action = { action: 'user.requestPasswordReset', workspaceId: null, resourceId: userId } as const;
  await recordChange(tx, { userId: null }, action);
  return reset.expiresAt;
}

/** Returns the address of the person whom a valid link is for. @throws DeckhandError NOT_FOUND for other tokens. */
export async function readPasswordReset(db: Database, tokenHash: string): Promise<{ readonly email: string }> {
  const reset = await db.passwordReset.findFirst({
    where: { tokenHash, expiresAt: { gt: new Date() }, user: { deactivatedAt: null } },
    select: { user: { select: { email: true } } },
  });
  if (!reset) throw noSuchReset();
  return reset.user;
}

/**
 * Sets a new password by a link, which works once, and ends all sessions of the person.
 * @throws DeckhandError NOT_FOUND for a token that is not valid.
 */
export function redeemPasswordReset(
  db: Database,
  { tokenHash, passwordHash }: { readonly tokenHash: string; readonly passwordHash: string },
  origin: Origin,
): Promise<void> {
  return db.$transaction(async (tx) => {
    // The person comes first, as in every other transaction that locks both.
    await tx.$executeRaw`
      SELECT 1 FROM users WHERE id IN (SELECT user_id FROM password_resets WHERE token_hash = ${tokenHash}) FOR UPDATE`;
    // Of two requests at the same time, one deletes it.
    const [reset] = await tx.$queryRaw<{ user_id: string }[]>`
      DELETE FROM password_resets WHERE token_hash = ${tokenHash} AND expires_at > now() RETURNING user_id`;
    if (!reset) throw noSuchReset();
    const userId = reset.user_id;
    const { count } = await tx.user.updateMany({ where: { id: userId, deactivatedAt: null }, data: { passwordHash } });
    if (count === 0) throw noSuchReset();
    await tx.session.deleteMany({ where: { userId } });
    const actor: Actor = { userId, boundTo: null, origin: () => origin };
    await recordChange(tx, actor, { action: 'user.resetPassword', workspaceId: null, resourceId: userId });
  });
}

/** The same for a link that never was, was used, was replaced or has expired. */
function noSuchReset(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'This link is not valid, or not any more: request another' });
}

import { v7 as uuidv7 } from 'uuid';
import { DeckhandError, type Person, type User } from '@deckhand/contracts';
import type { Actor } from './access.ts';
import { recordChange } from './audit/record.ts';
import { type Database, Prisma, type Queryable } from './client.ts';

/** Any number that only setup and first sign-ins lock. */
const SETUP_LOCK = 3_141_592;

/** The first person of an instance and the workspace that this person owns. */
export interface FirstOwner {
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  readonly workspaceName: string;
}

/** Returns true once there is a user: setup is complete. */
export async function hasUsers(db: Database): Promise<boolean> {
  return (await db.user.findFirst({ select: { id: true } })) !== null;
}

/**
 * Creates the first user, an instance administrator, and the first workspace. Both of two concurrent calls wait for the
 * same lock before they check, so one creates and the other is refused.
 * @throws DeckhandError INVALID_STATE when there is a user already.
 */
export function createFirstOwner(db: Database, owner: FirstOwner): Promise<User> {
  return db.$transaction(async (tx) => {
    if (await lockSetup(tx)) throw setupIsOver();
    const user = await tx.user.create({
      data: {
        id: uuidv7(),
        email: owner.email.toLowerCase(),
        name: owner.name,
        passwordHash: owner.passwordHash,
        isAdmin: true,
      },
      select: { id: true, email: true, name: true, isAdmin: true },
    });
    await tx.workspace.create({
      data: { id: uuidv7(), name: owner.workspaceName, memberships: { create: { userId: user.id, role: 'owner' } } },
    });
    return user;
  });
}

/** Keeps the setup from being done until the transaction ends. @returns true if it is over. */
export async function lockSetup(tx: Queryable): Promise<boolean> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${SETUP_LOCK})`;
  return (await tx.user.findFirst({ select: { id: true } })) !== null;
}

/** Returns the error for a second setup. */
export function setupIsOver(): DeckhandError {
  return new DeckhandError('INVALID_STATE', { message: 'This instance is set up already: sign in instead' });
}

/** A user with the hash that signing in compares. */
export interface UserWithPassword extends User {
  /** Null for a person who only signs in by single sign-on. */
  readonly passwordHash: string | null;
}

/** Finds an active user by e-mail address, whatever its case. */
export function findUserByEmail(db: Database, email: string): Promise<UserWithPassword | null> {
  return db.user.findUnique({
    where: { email: email.toLowerCase(), deactivatedAt: null },
    select: { id: true, email: true, name: true, isAdmin: true, passwordHash: true },
  });
}

/** Finds an active user by id. */
export function findActiveUser(db: Database, id: string): Promise<UserWithPassword | null> {
  return db.user.findUnique({
    where: { id, deactivatedAt: null },
    select: { id: true, email: true, name: true, isAdmin: true, passwordHash: true },
  });
}

/** Returns the hash of a signed-in person's password; undefined if the person has none, or was deleted. */
export async function readPasswordHash(db: Database, userId: string): Promise<string | undefined> {
  const user = await db.user.findUnique({ where: { id: userId }, select: { passwordHash: true } });
  return user?.passwordHash ?? undefined;
}

/**
 * Keeps a person from being deactivated until the transaction ends. Sessions and keys are created under it: a
 * deactivation then either ends them, or came before.
 * @param passwordHash what a password was compared with: a new password must not leave a session of the old one.
 * @throws DeckhandError UNAUTHORIZED for a deactivated or deleted person, and if the password is another one.
 */
export async function lockActiveUser(tx: Queryable, userId: string, passwordHash?: string): Promise<void> {
  const rows = await tx.$queryRaw<{ password_hash: string | null }[]>`
    SELECT password_hash FROM users WHERE id = ${userId}::uuid AND deactivated_at IS NULL FOR SHARE`;
  const [row] = rows;
  if (!row) throw new DeckhandError('UNAUTHORIZED', { message: 'This account is deactivated' });
  if (passwordHash !== undefined && passwordHash !== row.password_hash)
    throw new DeckhandError('UNAUTHORIZED', { message: 'The password was changed meanwhile' });
}

/** A password that replaces the one whose hash was compared. */
export interface PasswordChange {
  /** The hash that the present password was compared with. */
  readonly currentHash: string;
  readonly newHash: string;
  /** The session that stays. */
  readonly sessionId: string;
}

/**
 * Sets a person's password and ends every other session of theirs, and a link to a new password, at once.
 * @throws DeckhandError FORBIDDEN when the password was changed meanwhile.
 */
export function changePassword(db: Database, actor: Actor, change: PasswordChange): Promise<void> {
  const { userId } = actor;
  const { currentHash, newHash, sessionId } = change;
  return db.$transaction(async (tx) => {
    const { count } = await tx.user.updateMany({
      where: { id: userId, passwordHash: currentHash },
      data: { passwordHash: newHash },
    });
    if (count === 0) throw new DeckhandError('FORBIDDEN', { message: 'The password was changed meanwhile' });
    await tx.session.deleteMany({ where: { userId, id: { not: sessionId } } });
    await tx.passwordReset.deleteMany({ where: { userId } });
    await recordChange(tx, actor, { action: 'user.changePassword', workspaceId: null, resourceId: userId });
  });
}

/** Returns a row of users as a `Person`, as JSON; null if there is no such row. */
export function personJson(user: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`CASE WHEN ${user}.id IS NOT NULL
    THEN json_build_object('id', ${user}.id, 'name', ${user}.name, 'email', ${user}.email) END`;
}

/** Returns people by their ids, without those who were deleted. */
export async function readPeople(
  db: Queryable,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string | null, Person>> {
  const known = [...new Set(ids.flatMap((id) => id ?? []))];
  if (known.length === 0) return new Map();
  const rows = await db.user.findMany({ where: { id: { in: known } }, select: { id: true, name: true, email: true } });
  return new Map(rows.map((person) => [person.id, person]));
}

import { v7 as uuidv7 } from 'uuid';
import { DeckhandError, type Page, type PageOf, type Role, type SessionEntry, type User } from '@deckhand/contracts';
import type { Actor } from './access.ts';
import { recordChange } from './audit/record.ts';
import { type Database, Prisma } from './client.ts';
import { pageRange, toPage } from './paging.ts';
import { hasSecondFactor } from './second-factors.ts';
import { lockActiveUser } from './users.ts';

/** How long sessions last, in ms. */
export interface SessionLimits {
  /** From the sign-in on. */
  readonly lifetimeMs: number;
  /** From the last use on. */
  readonly idleMs: number;
}

/** A session to store: the hash of its token, never the token. */
export interface NewSession {
  readonly tokenHash: string;
  readonly userAgent: string;
  /** What the password was compared with, if there was one. */
  readonly passwordHash?: string | undefined;
  /** The identity by which the person signed in, and its ID token, encrypted; null for a password. */
  readonly identityId?: string | null;
  readonly sealedIdToken?: string | null;
  /** Whether the person proved a second factor, or an identity provider is trusted in place of it. */
  readonly isSecondFactorProved?: boolean;
}

/** Who must have a second factor. */
export interface SecondFactorRule {
  readonly everybody: boolean;
  /** Administrators of the instance. */
  readonly administrators: boolean;
  /** Members with one of these roles in any workspace. */
  readonly roles: readonly Role[];
  /** Whether an identity provider is not trusted in place of it. */
  readonly afterSignOn: boolean;
}

/**
 * Stores the hash of a new session, records the sign-in in the audit log, and deletes the person's expired sessions.
 * @param actor who signs in. @returns when the session expires.
 * @throws DeckhandError UNAUTHORIZED if the person was deactivated, or has a second factor that was not proved;
 * SSO_REFUSED if the identity was
 * disconnected.
 */
export async function createSession(
  db: Database,
  actor: Actor,
  session: NewSession,
  { lifetimeMs, idleMs }: SessionLimits,
): Promise<Date> {
  const now = Date.now();
  const expiresAt = new Date(now + lifetimeMs);
  const { userId } = actor;
  const { passwordHash, isSecondFactorProved = false, ...columns } = session;
  const ended = [{ expiresAt: { lt: new Date(now) } }, { lastUsedAt: { lt: new Date(now - idleMs) } }];
  await db.session.deleteMany({ where: { userId, OR: ended } });
  await db.$transaction(async (tx) => {
    const id = uuidv7();
    await lockActiveUser(tx, userId, passwordHash);
    // Under the lock: the factor may have been added since the password was compared.
    if (!isSecondFactorProved && (await hasSecondFactor(tx, userId)))
      throw new DeckhandError('UNAUTHORIZED', { message: 'Your account has a second factor now: sign in again' });
    const { identityId = null } = session;
    if (identityId !== null && !(await tx.identity.findFirst({ where: { id: identityId, userId } })))
      throw new DeckhandError('SSO_REFUSED', { message: 'An administrator disconnected your account: sign in again' });
    await tx.session.create({ data: { id, userId, ...columns, expiresAt } });
    await recordChange(tx, actor, { action: 'session.create', workspaceId: null, resourceId: id });
  });
  return expiresAt;
}

/** A valid session, and its person. */
export interface ValidSession {
  readonly sessionId: string;
  readonly user: User;
  /** Whether the person must add a second factor first. */
  readonly lacksSecondFactor: boolean;
}

interface Row {
  readonly token_hash: string;
  readonly id: string;
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly is_admin: boolean;
  readonly lacks_second_factor: boolean;
}

/** Looks up many sessions by the hashes of their tokens. Sessions that ended, expired or were idle are undefined. */
export async function findSessions(
  db: Database,
  hashes: readonly string[],
  { lifetimeMs, idleMs }: SessionLimits,
  rule?: SecondFactorRule,
): Promise<(ValidSession | undefined)[]> {
  const rows = await db.$queryRaw<Row[]>`/* sessions.find */
    SELECT s.token_hash, s.id, s.user_id, u.email, u.name, u.is_admin, ${lacksSecondFactor(rule)} AS lacks_second_factor
    FROM sessions s
    JOIN users u ON u.id = s.user_id
    WHERE s.token_hash = ANY (${[...new Set(hashes)]}::text[]) AND s.expires_at > now()
      AND s.created_at > now() - ${lifetimeMs / 1_000}::float8 * interval '1 second'
      AND s.last_used_at > now() - ${idleMs / 1_000}::float8 * interval '1 second' AND u.deactivated_at IS NULL`;
  const found = new Map(
    rows.map((row) => [
      row.token_hash,
      {
        sessionId: row.id,
        user: { id: row.user_id, email: row.email, name: row.name, isAdmin: row.is_admin },
        lacksSecondFactor: row.lacks_second_factor,
      },
    ]),
  );
  return hashes.map((hash) => found.get(hash));
}

/** Without a rule, requests pay nothing for it. */
function lacksSecondFactor(rule: SecondFactorRule | undefined): Prisma.Sql {
  if (!rule) return Prisma.sql`false`;
  return Prisma.sql`((${rule.everybody} OR u.is_admin AND ${rule.administrators} OR EXISTS (
      SELECT 1 FROM memberships m WHERE m.user_id = u.id AND m.role::text = ANY (${[...rule.roles]}::text[])))
    AND (s.identity_id IS NULL OR ${rule.afterSignOn})
    AND NOT EXISTS (SELECT 1 FROM authenticators a WHERE a.user_id = u.id AND a.confirmed_at IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = u.id))`;
}

/** Records that the person of a session proved again who they are. */
export async function confirmSession(db: Database, sessionId: string): Promise<void> {
  await db.session.updateMany({ where: { id: sessionId }, data: { confirmedAt: new Date() } });
}

/** Returns whether the person of a session proved at most so many ms ago who they are, by the sign-in or since. */
export async function isConfirmedSession(db: Database, sessionId: string, maxAgeMs: number): Promise<boolean> {
  const after = { gt: new Date(Date.now() - maxAgeMs) };
  const where = { id: sessionId, OR: [{ createdAt: after }, { confirmedAt: after }] };
  return (await db.session.findFirst({ where, select: { id: true } })) !== null;
}

/** Records that sessions were used now. Skips sessions that another call is recording or deleting. */
export async function touchSessions(db: Database, ids: readonly string[]): Promise<void> {
  await db.$executeRaw`UPDATE sessions SET last_used_at = now() WHERE id IN (
    SELECT id FROM sessions WHERE id = ANY (${ids}::uuid[]) FOR UPDATE SKIP LOCKED)`;
}

/** Lists a person's valid sessions, the newest first. `sessionId` is the session of the request. */
export async function listSessions(
  db: Database,
  { userId, sessionId: currentId }: { readonly userId: string; readonly sessionId: string },
  page: Page,
  { lifetimeMs, idleMs }: SessionLimits,
): Promise<PageOf<SessionEntry>> {
  const now = Date.now();
  const where = {
    userId,
    expiresAt: { gt: new Date(now) },
    createdAt: { gt: new Date(now - lifetimeMs) },
    lastUsedAt: { gt: new Date(now - idleMs) },
  };
  const rows = await db.session.findMany({
    where,
    select: { id: true, createdAt: true, lastUsedAt: true, expiresAt: true, userAgent: true },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    ...pageRange(page),
  });
  return toPage(
    page,
    rows,
    (row) => ({
      id: row.id,
      current: row.id === currentId,
      createdAt: row.createdAt.toISOString(),
      lastUsedAt: row.lastUsedAt.toISOString(),
      expiresAt: row.expiresAt.toISOString(),
      userAgent: row.userAgent,
    }),
    () => db.session.count({ where }),
  );
}

/** Ends a session. Ending it twice is harmless. */
export async function deleteSession(db: Database, sessionId: string): Promise<void> {
  await db.session.deleteMany({ where: { id: sessionId } });
}

/** Ends all sessions of a person except one. */
export async function deleteOtherSessions(db: Database, userId: string, sessionId: string): Promise<void> {
  await db.session.deleteMany({ where: { userId, id: { not: sessionId } } });
}

/** Ends one of a person's own sessions. @throws DeckhandError NOT_FOUND when the person has no such session. */
export async function deleteOwnSession(db: Database, userId: string, sessionId: string): Promise<void> {
  const { count } = await db.session.deleteMany({ where: { id: sessionId, userId, expiresAt: { gt: new Date() } } });
  if (count === 0) throw new DeckhandError('NOT_FOUND', { message: 'No such session' });
}

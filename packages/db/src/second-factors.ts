import { DeckhandError, type SecondFactors } from '@deckhand/contracts';
import { v7 as uuidv7 } from 'uuid';
import type { Actor, Origin, System } from './access.ts';
import { recordChange } from './audit/record.ts';
import { type Database, Prisma, type Queryable } from './client.ts';

/** Maximum number of passkeys of a person. */
const MAX_PASSKEYS = 20;

/** What a person signs in with beside a password, without secrets. */
export type KeptSecondFactors = Pick<SecondFactors, 'authenticator' | 'passkeys' | 'recoveryCodesLeft'>;

/** A person, and the session by which the person calls. */
export interface SessionActor extends Actor {
  readonly sessionId: string;
}

/** Reads a person's second factors. */
export async function readSecondFactors(db: Queryable, userId: string): Promise<KeptSecondFactors> {
  const authenticator = await db.authenticator.findFirst({
    where: { userId, confirmedAt: { not: null } },
    select: { createdAt: true, lastUsedAt: true },
  });
  const passkeys = await db.passkey.findMany({
    where: { userId },
    select: { id: true, name: true, createdAt: true, lastUsedAt: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  return {
    authenticator: authenticator && withTimes(authenticator),
    passkeys: passkeys.map(({ id, name, ...times }) => ({ id, name, ...withTimes(times) })),
    recoveryCodesLeft: await db.recoveryCode.count({ where: { userId } }),
  };
}

function withTimes({ createdAt, lastUsedAt }: { readonly createdAt: Date; readonly lastUsedAt: Date | null }) {
  return { createdAt: createdAt.toISOString(), lastUsedAt: lastUsedAt?.toISOString() ?? null };
}

/** Returns whether a person has a second factor that counts. */
export async function hasSecondFactor(db: Queryable, userId: string): Promise<boolean> {
  const authenticator = await db.authenticator.findFirst({
    where: { userId, confirmedAt: { not: null } },
    select: { userId: true },
  });
  return authenticator !== null || (await db.passkey.findFirst({ where: { userId }, select: { id: true } })) !== null;
}

/** An authenticator app, with its encrypted secret. */
export interface KeptAuthenticator {
  readonly secret: string;
  readonly isConfirmed: boolean;
}

/** Reads the authenticator app of a person. */
export async function readAuthenticator(db: Queryable, userId: string): Promise<KeptAuthenticator | undefined> {
  const row = await db.authenticator.findUnique({ where: { userId }, select: { secret: true, confirmedAt: true } });
  return row ? { secret: row.secret, isConfirmed: row.confirmedAt !== null } : undefined;
}

/**
 * Keeps the encrypted secret of an authenticator app, which counts once a code of it was entered. It replaces one that
 * does not count yet.
 * @throws DeckhandError INVALID_STATE if the person has one that counts.
 */
export function startAuthenticator(db: Database, actor: SessionActor, secret: string): Promise<void> {
  const { userId } = actor;
  return db.$transaction(async (tx) => {
    await lockCaller(tx, actor);
    await tx.authenticator.deleteMany({ where: { userId, confirmedAt: null } });
    if (await tx.authenticator.findUnique({ where: { userId }, select: { userId: true } }))
      throw new DeckhandError('INVALID_STATE', { message: 'You have an authenticator app: remove it first' });
    await tx.authenticator.create({ data: { userId, secret } });
  });
}

/** A change that makes a second factor count. */
export interface NewFactor {
  /** Hashes of recovery codes, which are kept if the factor is the first one. */
  readonly recoveryHashes: readonly string[];
}

/**
 * Makes an authenticator app count. The first factor ends every other session: they were opened without it.
 * @param factor.secret the encrypted secret of which a code was entered; another one is refused.
 * @returns whether the recovery codes were kept. @throws DeckhandError INVALID_STATE.
 */
export function confirmAuthenticator(
  db: Database,
  actor: SessionActor,
  factor: NewFactor & { readonly secret: string; readonly step: number },
): Promise<boolean> {
  const { userId } = actor;
  return db.$transaction(async (tx) => {
    await lockCaller(tx, actor);
    const isFirst = !(await hasSecondFactor(tx, userId));
    const { count } = await tx.authenticator.updateMany({
      where: { userId, secret: factor.secret, confirmedAt: null },
      data: { confirmedAt: new Date(), lastStep: factor.step },
    });
    if (count === 0) throw new DeckhandError('INVALID_STATE', { message: 'Start to add the authenticator app again' });
    await recordChange(tx, actor, { action: 'user.addAuthenticator', workspaceId: null, resourceId: userId });
    return afterNewFactor(tx, actor, factor, isFirst);
  });
}

/** Uses a code of a person's authenticator app up. @returns false if it, or a later one, was used before. */
export async function useAuthenticatorStep(db: Database, userId: string, step: number): Promise<boolean> {
  const { count } = await db.authenticator.updateMany({
    where: { userId, confirmedAt: { not: null }, lastStep: { lt: step } },
    data: { lastStep: step, lastUsedAt: new Date() },
  });
  return count > 0;
}

/** Removes a person's authenticator app. @throws DeckhandError NOT_FOUND without one. */
export function removeAuthenticator(db: Database, actor: SessionActor): Promise<void> {
  const { userId } = actor;
  return db.$transaction(async (tx) => {
    await lockCaller(tx, actor);
    const { count } = await tx.authenticator.deleteMany({ where: { userId, confirmedAt: { not: null } } });
    if (count === 0) throw new DeckhandError('NOT_FOUND', { message: 'You have no authenticator app' });
    await recordChange(tx, actor, { action: 'user.removeAuthenticator', workspaceId: null, resourceId: userId });
    await afterRemoval(tx, userId);
  });
}

/** A passkey to keep. */
export interface NewPasskey {
  readonly credentialId: string;
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly name: string;
}

/**
 * Keeps a passkey. The first factor ends every other session, as for an authenticator app.
 * @returns whether the recovery codes were kept.
 * @throws DeckhandError CONFLICT for one that is kept already; LIMIT_REACHED.
 */
export function addPasskey(
  db: Database,
  actor: SessionActor,
  passkey: NewPasskey,
  factor: NewFactor,
): Promise<{ readonly id: string; readonly isFirst: boolean }> {
  const { userId } = actor;
  const { credentialId, publicKey, counter, transports, name } = passkey;
  return db.$transaction(async (tx) => {
    await lockCaller(tx, actor);
    const isFirst = !(await hasSecondFactor(tx, userId));
    if ((await tx.passkey.count({ where: { userId } })) >= MAX_PASSKEYS)
      throw new DeckhandError('LIMIT_REACHED', { message: `You have ${MAX_PASSKEYS} passkeys: remove one first` });
    if (await tx.passkey.findUnique({ where: { credentialId }, select: { id: true } }))
      throw new DeckhandError('CONFLICT', { message: 'This passkey is registered already' });
    const id = uuidv7();
    const data = { id, userId, credentialId, publicKey, counter, transports: [...transports], name };
    await tx.passkey.create({ data });
    const change = { action: 'user.addPasskey', workspaceId: null, resourceId: userId, details: { name } } as const;
    await recordChange(tx, actor, change);
    return { id, isFirst: await afterNewFactor(tx, actor, factor, isFirst) };
  });
}

/** A passkey, with what its signatures are verified with. */
export interface KeptPasskey {
  readonly id: string;
  readonly userId: string;
  readonly credentialId: string;
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly counter: number;
}

/** Finds a passkey of an active person by the id that the authenticator chose. */
export async function findPasskey(db: Database, credentialId: string): Promise<KeptPasskey | undefined> {
  const row = await db.passkey.findUnique({
    where: { credentialId, user: { deactivatedAt: null } },
    select: { id: true, userId: true, credentialId: true, publicKey: true, counter: true },
  });
  return row ? { ...row, counter: Number(row.counter) } : undefined;
}

/** Returns the ids that authenticators chose for a person's passkeys, and how to reach them. */
export async function listPasskeyIds(
  db: Database,
  userId: string,
): Promise<{ readonly id: string; readonly transports: string[] }[]> {
  const rows = await db.passkey.findMany({ where: { userId }, select: { credentialId: true, transports: true } });
  return rows.map(({ credentialId, transports }) => ({ id: credentialId, transports }));
}

/**
 * Records that a passkey was used. @returns false if it was removed meanwhile, or its counter was used before: somebody
 * copied it, or two requests have the same signature.
 */
export async function usePasskey(db: Database, id: string, counter: number): Promise<boolean> {
  const { count } = await db.passkey.updateMany({
    where: { id, ...(counter === 0 ? { counter: 0 } : { counter: { lt: counter } }) },
    data: { counter, lastUsedAt: new Date() },
  });
  return count > 0;
}

/** Removes one of a person's own passkeys. @throws DeckhandError NOT_FOUND without it. */
export function removePasskey(db: Database, actor: SessionActor, id: string): Promise<void> {
  const { userId } = actor;
  return db.$transaction(async (tx) => {
    await lockCaller(tx, actor);
    const { count } = await tx.passkey.deleteMany({ where: { id, userId } });
    if (count === 0) throw new DeckhandError('NOT_FOUND', { message: 'No such passkey' });
    await recordChange(tx, actor, { action: 'user.removePasskey', workspaceId: null, resourceId: userId });
    await afterRemoval(tx, userId);
  });
}

/** Uses a recovery code up. Of two requests with the same code, one gets true. */
export function useRecoveryCode(db: Database, userId: string, codeHash: string, origin: Origin): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const { count } = await tx.recoveryCode.deleteMany({ where: { userId, codeHash } });
    if (count === 0) return false;
    const actor: Actor = { userId, boundTo: null, origin: () => origin };
    await recordChange(tx, actor, { action: 'user.useRecoveryCode', workspaceId: null, resourceId: userId });
    return true;
  });
}

/** Replaces a person's recovery codes. @throws DeckhandError INVALID_STATE for a person without a second factor. */
export function replaceRecoveryCodes(db: Database, actor: SessionActor, hashes: readonly string[]): Promise<void> {
  const { userId } = actor;
  return db.$transaction(async (tx) => {
    await lockCaller(tx, actor);
    if (!(await hasSecondFactor(tx, userId)))
      throw new DeckhandError('INVALID_STATE', { message: 'Add a passkey or an authenticator app first' });
    await keepRecoveryCodes(tx, userId, hashes);
    await recordChange(tx, actor, { action: 'user.replaceRecoveryCodes', workspaceId: null, resourceId: userId });
  });
}

/**
 * Removes all second factors of a person who lost them, and ends the person's sessions.
 * @returns undefined if nobody has the address.
 */
export function removeLostFactors(
  db: Database,
  email: string,
): Promise<{ readonly email: string; readonly removed: number } | undefined> {
  return db.$transaction(async (tx) => {
    const where = { email: email.toLowerCase() };
    const user = await tx.user.findUnique({ where, select: { id: true, email: true } });
    if (!user) return undefined;
    await lockPerson(tx, user.id);
    const removed = await deleteSecondFactors(tx, user.id);
    await tx.session.deleteMany({ where: { userId: user.id } });
    const system: System = { userId: null };
    await recordChange(tx, system, { action: 'user.removeSecondFactors', workspaceId: null, resourceId: user.id });
    return { email: user.email, removed };
  });
}

/** Deletes all second factors of a person. @returns how many there were, without recovery codes. */
export async function deleteSecondFactors(tx: Queryable, userId: string): Promise<number> {
  const where = { userId };
  const { count: passkeys } = await tx.passkey.deleteMany({ where });
  const { count: authenticators } = await tx.authenticator.deleteMany({ where });
  await tx.recoveryCode.deleteMany({ where });
  return passkeys + authenticators;
}

/**
 * Locks the person of a session as `lockPerson` does. The session may have been ended since the caller was recognised,
 * by the first factor, a new password, or an operator: it must change nothing then.
 * @throws DeckhandError UNAUTHORIZED
 */
async function lockCaller(tx: Queryable, { userId, sessionId }: SessionActor): Promise<void> {
  await lockPerson(tx, userId);
  const where = { id: sessionId, userId, user: { deactivatedAt: null } };
  if ((await tx.session.findFirst({ where, select: { id: true } })) === null) throw new DeckhandError('UNAUTHORIZED');
}

/** Keeps sessions from being created, and factors from being changed, until the transaction ends. */
async function lockPerson(tx: Queryable, userId: string): Promise<void> {
  await tx.$executeRaw(Prisma.sql`SELECT 1 FROM users WHERE id = ${userId}::uuid FOR NO KEY UPDATE`);
}

async function afterNewFactor(
  tx: Queryable,
  { userId, sessionId }: SessionActor,
  { recoveryHashes }: NewFactor,
  isFirst: boolean,
): Promise<boolean> {
  await tx.session.updateMany({ where: { id: sessionId, userId }, data: { confirmedAt: new Date() } });
  if (!isFirst) return false;
  await tx.session.deleteMany({ where: { userId, id: { not: sessionId } } });
  await keepRecoveryCodes(tx, userId, recoveryHashes);
  return true;
}

async function keepRecoveryCodes(tx: Queryable, userId: string, hashes: readonly string[]): Promise<void> {
  await tx.recoveryCode.deleteMany({ where: { userId } });
  await tx.recoveryCode.createMany({ data: hashes.map((codeHash) => ({ userId, codeHash })) });
}

/** Recovery codes replace a factor, so they end with the last one. */
async function afterRemoval(tx: Queryable, userId: string): Promise<void> {
  if (!(await hasSecondFactor(tx, userId))) await tx.recoveryCode.deleteMany({ where: { userId } });
}

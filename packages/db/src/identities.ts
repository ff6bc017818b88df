import { DeckhandError, type Role, type User } from '@deckhand/contracts';
import { v7 as uuidv7 } from 'uuid';
import type { Actor, Origin } from './access.ts';
import { recordChange } from './audit/record.ts';
import { type Database, Prisma, type Queryable } from './client.ts';
import { deleteSecondFactors } from './second-factors.ts';
import { lockSetup } from './users.ts';
import { lockWorkspace } from './workspaces/workspaces.ts';

/** Who an identity provider says that a person is. */
export interface SignOnIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** In any case. Undefined unless the provider has verified that the person owns the address. */
  readonly verifiedEmail: string | undefined;
  readonly name: string;
}

/** What a sign-in may change. */
export interface SignOnPolicy {
  /** Whether a person without an account gets one. */
  readonly createsAccounts: boolean;
  /** The workspace whose members follow from sign-ins; null for none. */
  readonly workspaceId: string | null;
  /** The role there; null for none; undefined leaves the role of people with an account, who are not added. */
  readonly role: Exclude<Role, 'owner'> | null | undefined;
  /** The role there of a new account, if `role` is undefined. */
  readonly firstRole: Exclude<Role, 'owner'>;
  /** Addresses, in lower case, whose accounts keep their password. */
  readonly breakGlass: ReadonlySet<string>;
}

/** A person who signed in, and the identity that was used. */
export interface SignedOnPerson {
  readonly user: User;
  readonly identityId: string;
}

const USER = { id: true, email: true, name: true, isAdmin: true, deactivatedAt: true } as const;

/**
 * Finds the account of an identity, or connects or creates one. The subject decides: a changed address finds the same
 * account, and an address that another person got later finds no account.
 * @throws DeckhandError SSO_REFUSED with the reason.
 */
export async function signOn(
  db: Database,
  identity: SignOnIdentity,
  policy: SignOnPolicy,
  origin: Origin,
): Promise<SignedOnPerson> {
  const attempt = () => db.$transaction((tx) => findOrCreate(tx, identity, policy, origin));
  try {
    return await attempt();
  } catch (error) {
    // Another sign-in of the person was first, and the second attempt finds what it created.
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') return attempt();
    throw error;
  }
}

async function findOrCreate(
  tx: Queryable,
  identity: SignOnIdentity,
  policy: SignOnPolicy,
  origin: Origin,
): Promise<SignedOnPerson> {
  const { issuer, subject } = identity;
  const known = await tx.identity.findUnique({
    where: { issuer_subject: { issuer, subject } },
    select: { id: true, user: { select: USER } },
  });
  const found = known
    ? { identityId: known.id, ...known.user, isNew: false }
    : await connect(tx, identity, policy, origin);
  const { identityId, isNew, deactivatedAt, ...user } = found;
  if (deactivatedAt !== null) throw refused('Your account is deactivated: ask an administrator of this instance');
  await tx.identity.update({ where: { id: identityId }, data: { lastUsedAt: new Date() } });
  await applyRole(tx, actorOf(user.id, origin), policy, isNew);
  return { user, identityId };
}

/** Connects an identity that is seen for the first time, with the account of its address or a new one. */
async function connect(
  tx: Queryable,
  { issuer, subject, verifiedEmail, name }: SignOnIdentity,
  policy: SignOnPolicy,
  origin: Origin,
) {
  // Whoever may choose an address at the provider would otherwise take over the account that has it here.
  if (verifiedEmail === undefined) throw refused('The identity provider does not say that your address is verified');
  const email = verifiedEmail.toLowerCase();
  const existing = await tx.user.findUnique({ where: { email }, select: USER });
  if (!existing && !policy.createsAccounts) throw refused('You have no account here: ask for an invite');
  // The first user ends the setup, and must be an administrator.
  if (!existing && !(await lockSetup(tx))) throw refused('This instance is not set up yet: ask its operator');
  const userId = existing?.id ?? uuidv7();
  const actor = actorOf(userId, origin);
  const user = existing ?? (await tx.user.create({ data: { id: userId, email, name }, select: USER }));
  if (existing) {
    const other = await tx.identity.findUnique({ where: { userId_issuer: { userId, issuer } }, select: { id: true } });
    if (other) throw refused('Your address belongs to an account of another person at the identity provider');
    if (!existing.isAdmin && !policy.breakGlass.has(email)) await removePassword(tx, userId);
  } else {
    await recordChange(tx, actor, { action: 'user.create', workspaceId: null, resourceId: userId });
  }
  const keptKeys = await tx.apiKey.count({ where: { userId, revokedAt: null } });
  const identityId = uuidv7();
  await tx.identity.create({ data: { id: identityId, userId, issuer, subject } });
  await recordChange(tx, actor, {
    action: 'user.connectIdentity',
    workspaceId: null,
    resourceId: userId,
    details: { issuer, keptKeys },
  });
  return { ...user, identityId, isNew: !existing };
}

/**
 * Removes the password, links to a new one, second factors, and the sessions of an account that is connected: nobody
 * has verified the address until now, so somebody else may have made the account, and would keep access to it.
 * Administrators keep theirs, because whoever made them had the setup token. So do break-glass addresses: they get in
 * while the provider is down.
 */
async function removePassword(tx: Queryable, userId: string): Promise<void> {
  await tx.user.update({ where: { id: userId }, data: { passwordHash: null } });
  await tx.passwordReset.deleteMany({ where: { userId } });
  await deleteSecondFactors(tx, userId);
  await tx.session.deleteMany({ where: { userId } });
}

/** Gives the person the role of the policy, unless it is an owner: owners are made by people. */
async function applyRole(
  tx: Queryable,
  actor: Actor,
  { workspaceId, role, firstRole }: SignOnPolicy,
  isNew: boolean,
): Promise<void> {
  const wanted = role === undefined && isNew ? firstRole : role;
  if (workspaceId === null || wanted === undefined) return;
  await lockWorkspace(tx, workspaceId);
  if (!(await tx.workspace.findUnique({ where: { id: workspaceId }, select: { id: true } })))
    throw refused('The workspace of single sign-on does not exist: the settings of this instance name another');
  const { userId } = actor;
  const where = { workspaceId_userId: { workspaceId, userId } };
  const from = (await tx.membership.findUnique({ where, select: { role: true } }))?.role ?? null;
  if (from === wanted || from === 'owner') return;
  const change = { workspaceId, resourceId: userId };
  if (wanted === null) {
    await tx.membership.delete({ where });
    await recordChange(tx, actor, { ...change, action: 'member.remove', details: { role: from } });
  } else if (from === null) {
    await tx.membership.create({ data: { workspaceId, userId, role: wanted } });
    await recordChange(tx, actor, { ...change, action: 'member.add', details: { role: wanted } });
  } else {
    await tx.membership.update({ where, data: { role: wanted } });
    await recordChange(tx, actor, { ...change, action: 'member.update', details: { from, role: wanted } });
  }
}

/** Returns whether a session was opened by an identity provider, at most so many ms ago. */
export async function isFreshSignOn(db: Database, sessionId: string, maxAgeMs: number): Promise<boolean> {
  const where = { id: sessionId, identityId: { not: null }, createdAt: { gt: new Date(Date.now() - maxAgeMs) } };
  return (await db.session.findFirst({ where, select: { id: true } })) !== null;
}

/** Returns the sealed ID token of a session; null for a session of a password. */
export async function readSealedIdToken(
  db: Database,
  sessionId: string,
): Promise<{ readonly isSignedOn: boolean; readonly sealedIdToken: string | null }> {
  const session = await db.session.findUnique({
    where: { id: sessionId },
    select: { identityId: true, sealedIdToken: true },
  });
  return { isSignedOn: (session?.identityId ?? null) !== null, sealedIdToken: session?.sealedIdToken ?? null };
}

function actorOf(userId: string, origin: Origin): Actor {
  return { userId, boundTo: null, origin: () => origin };
}

function refused(message: string): DeckhandError {
  return new DeckhandError('SSO_REFUSED', { message });
}

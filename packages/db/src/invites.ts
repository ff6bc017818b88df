import { v7 as uuidv7 } from 'uuid';
import { DeckhandError, type InviteEntry, type Page, type PageOf, type Role, type User } from '@deckhand/contracts';
import { type Actor, type Origin, visibleWorkspace } from './access.ts';
import { recordChange } from './audit/record.ts';
import type { Database, Queryable } from './client.ts';
import type { Invite } from './generated/client.ts';
import { lockMembers, requireOwnerFor } from './members.ts';
import { pageRange, toPage } from './paging.ts';
import { conflictWhenTaken } from './unique.ts';
import { findWorkspace } from './workspaces/workspaces.ts';

/** How long an invite may be accepted, in ms: 7 days. */
const INVITE_LIFETIME_MS = 7 * 24 * 60 * 60 * 1_000;

/**
 * Lists the invites of a workspace, the newest first, including accepted and expired ones.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN without the permission.
 */
export async function listInvites(
  db: Database,
  actor: Actor,
  workspaceId: string,
  page: Page,
): Promise<PageOf<InviteEntry>> {
  await findWorkspace(db, actor, workspaceId, 'members.manage');
  const where = { workspaceId, workspace: visibleWorkspace(actor, 'members.manage') };
  const rows = await db.invite.findMany({
    where,
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    ...pageRange(page),
  });
  return toPage(
    page,
    rows,
    (row) => toInviteEntry(row),
    () => db.invite.count({ where }),
  );
}

/** An invite to store: the hash of its token, never the token. */
export interface NewInvite {
  readonly workspaceId: string;
  /** The e-mail address that it is for; null for anybody with the link. */
  readonly email: string | null;
  readonly role: Role;
  readonly tokenHash: string;
}

/**
 * Stores an invite. @throws DeckhandError NOT_FOUND when the actor may not see the workspace; FORBIDDEN without the
 * permission, and for the role owner unless the actor is an owner.
 */
export function createInvite(db: Database, actor: Actor, invite: NewInvite): Promise<InviteEntry> {
  const { workspaceId, role, tokenHash } = invite;
  const email = invite.email?.toLowerCase() ?? null;
  return db.$transaction(async (tx) => {
    requireOwnerFor(await lockMembers(tx, actor, workspaceId, 'members.manage'), role);
    const expiresAt = new Date(Date.now() + INVITE_LIFETIME_MS);
    const row = await tx.invite.create({
      data: { id: uuidv7(), workspaceId, email, role, tokenHash, createdBy: actor.userId, expiresAt },
    });
    const details = { email, role };
    await recordChange(tx, actor, { action: 'invite.create', workspaceId, resourceId: row.id, details });
    return toInviteEntry(row);
  });
}

/** Withdraws an invite: its link becomes invalid. @throws DeckhandError NOT_FOUND; FORBIDDEN without the permission. */
export function deleteInvite(db: Database, actor: Actor, workspaceId: string, id: string): Promise<void> {
  return db.$transaction(async (tx) => {
    await findWorkspace(tx, actor, workspaceId, 'members.manage');
    const where = { id, workspaceId, workspace: visibleWorkspace(actor, 'members.manage') };
    const { count } = await tx.invite.deleteMany({ where });
    if (count === 0) throw new DeckhandError('NOT_FOUND', { message: 'No such invite' });
    await recordChange(tx, actor, { action: 'invite.delete', workspaceId, resourceId: id });
  });
}

/** A membership created by an invite. */
export interface JoinedWorkspace {
  readonly workspaceId: string;
  readonly role: Role;
}

/** A person who creates an account with the invite. */
export interface NewPerson {
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
}

/** Returns the address that a valid invite is for. @throws DeckhandError NOT_FOUND for every other token. */
export async function readInvite(db: Database, tokenHash: string): Promise<{ readonly email: string | null }> {
  const where = { tokenHash, acceptedAt: null, expiresAt: { gt: new Date() } };
  const invite = await db.invite.findFirst({ where, select: { email: true } });
  if (!invite) throw noSuchInvite();
  return invite;
}

/**
 * Adds a signed-in person to the workspace of an invite. An invite works once: of two requests at the same time, one
 * succeeds.
 * @throws DeckhandError NOT_FOUND for a token that is not valid; FORBIDDEN when it is for another address; CONFLICT for
 * a member. Then the invite stays valid.
 */
export function acceptInvite(db: Database, actor: Actor, user: User, tokenHash: string): Promise<JoinedWorkspace> {
  return db.$transaction(async (tx) => {
    const invite = await useInvite(tx, tokenHash, user.id);
    if (invite.email !== null && invite.email !== user.email) {
      throw new DeckhandError('FORBIDDEN', { message: 'This invite is for another e-mail address' });
    }
    return join(tx, actor, invite);
  });
}

/**
 * Creates an account and adds it to the workspace of an invite: both or neither.
 * @throws DeckhandError NOT_FOUND for a token that is not valid; FORBIDDEN when it is for another address; CONFLICT for
 * an address that has an account.
 */
export function acceptInviteAsNewPerson(
  db: Database,
  person: NewPerson,
  tokenHash: string,
  origin: Origin,
): Promise<JoinedWorkspace & { readonly user: User }> {
  const id = uuidv7();
  const actor = { userId: id, boundTo: null, origin: () => origin };
  const email = person.email.toLowerCase();
  return db
    .$transaction(async (tx) => {
      const invite = await useInvite(tx, tokenHash, id);
      if (invite.email !== null && invite.email !== email) {
        throw new DeckhandError('FORBIDDEN', { message: 'This invite is for another e-mail address' });
      }
      const user = await tx.user.create({
        data: { id, email, name: person.name, passwordHash: person.passwordHash },
        select: { id: true, email: true, name: true, isAdmin: true },
      });
      return { ...(await join(tx, actor, invite)), user };
    })
    .catch(conflictWhenTaken('This e-mail address has an account: sign in to accept'));
}

/** Marks an invite as accepted. A transaction that waited for its row checks the condition again. */
async function useInvite(tx: Queryable, tokenHash: string, userId: string): Promise<Invite> {
  const now = new Date();
  const [invite] = await tx.invite.updateManyAndReturn({
    where: { tokenHash, acceptedAt: null, expiresAt: { gt: now } },
    data: { acceptedAt: now, acceptedBy: userId },
  });
  if (!invite) throw noSuchInvite();
  return invite;
}

async function join(tx: Queryable, actor: Actor, { id, workspaceId, role }: Invite): Promise<JoinedWorkspace> {
  await tx.membership
    .create({ data: { workspaceId, userId: actor.userId, role } })
    .catch(conflictWhenTaken('You are a member of this workspace already'));
  await recordChange(tx, actor, { action: 'invite.accept', workspaceId, resourceId: id, details: { role } });
  return { workspaceId, role };
}

/** Converts an invite to its entry in lists, without the hash of its token. */
function toInviteEntry(row: Invite, now = new Date()): InviteEntry {
  return {
    id: row.id,
    workspaceId: row.workspaceId,
    email: row.email,
    role: row.role,
    state: stateOf(row, now),
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    acceptedAt: row.acceptedAt?.toISOString() ?? null,
    acceptedBy: row.acceptedBy,
  };
}

function stateOf(row: Invite, now: Date): InviteEntry['state'] {
  if (row.acceptedAt !== null) return 'Accepted';
  return row.expiresAt <= now ? 'Expired' : 'Pending';
}

/** Returns the error for an invalid token, the same for unknown, used, expired and withdrawn ones. */
function noSuchInvite(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'This invite is not valid, or not any more' });
}

import {
  type AddMemberBody,
  DeckhandError,
  roleMay,
  type MemberEntry,
  type Page,
  type PageOf,
  type Permission,
  type Role,
} from '@deckhand/contracts';
import { type Actor, visibleWorkspace } from './access.ts';
import { recordChange } from './audit/record.ts';
import type { Database, Queryable } from './client.ts';
import { pageRange, toPage } from './paging.ts';
import { findWorkspace, lockWorkspace } from './workspaces/workspaces.ts';

/** The columns of a member's entry. */
const WITH_USER = { user: { select: { email: true, name: true } } } as const;

/**
 * Lists the members of a workspace, the oldest first. @throws DeckhandError NOT_FOUND when the actor may not see it.
 */
export async function listMembers(
  db: Database,
  actor: Actor,
  workspaceId: string,
  page: Page,
): Promise<PageOf<MemberEntry>> {
  await findWorkspace(db, actor, workspaceId, 'workspace.read');
  const where = { workspaceId, workspace: visibleWorkspace(actor, 'workspace.read') };
  const rows = await db.membership.findMany({
    where,
    include: WITH_USER,
    orderBy: [{ createdAt: 'asc' }, { userId: 'asc' }],
    ...pageRange(page),
  });
  return toPage(page, rows, toMemberEntry, () => db.membership.count({ where }));
}

/**
 * Adds a person who has an account as a member.
 * @throws DeckhandError NOT_FOUND when the actor may not see the workspace or no account has that e-mail; FORBIDDEN
 * without the permission, and for the role owner unless the actor is an owner; CONFLICT for a member.
 */
export function addMember(
  db: Database,
  actor: Actor,
  workspaceId: string,
  { email, role }: AddMemberBody,
): Promise<MemberEntry> {
  return db.$transaction(async (tx) => {
    requireOwnerFor(await lockMembers(tx, actor, workspaceId, 'members.manage'), role);
    const user = await tx.user.findUnique({ where: { email: email.toLowerCase() }, select: { id: true } });
    if (!user) throw new DeckhandError('NOT_FOUND', { message: 'Nobody here has this e-mail address: send an invite' });
    const key = { workspaceId, userId: user.id };
    if (await tx.membership.findUnique({ where: { workspaceId_userId: key } })) {
      throw new DeckhandError('CONFLICT', { message: 'This person is a member already' });
    }
    const row = await tx.membership.create({ data: { ...key, role }, include: WITH_USER });
    await recordChange(tx, actor, { action: 'member.add', workspaceId, resourceId: user.id, details: { role } });
    return toMemberEntry(row);
  });
}

/**
 * Changes a member's role. @throws DeckhandError NOT_FOUND; FORBIDDEN without the permission, and for a change to or
 * from owner unless the actor is one; INVALID_STATE for the last owner.
 */
export function updateMember(
  db: Database,
  actor: Actor,
  workspaceId: string,
  userId: string,
  role: Role,
): Promise<MemberEntry> {
  return db.$transaction(async (tx) => {
    const actorRole = await lockMembers(tx, actor, workspaceId, 'members.manage');
    const from = await memberRole(tx, workspaceId, userId);
    requireOwnerFor(actorRole, from, role);
    if (from === 'owner' && role !== 'owner') await requireAnotherOwner(tx, workspaceId, userId);
    const where = { workspaceId_userId: { workspaceId, userId } };
    const row = await tx.membership.update({ where, data: { role }, include: WITH_USER });
    const details = { from, role };
    await recordChange(tx, actor, { action: 'member.update', workspaceId, resourceId: userId, details });
    return toMemberEntry(row);
  });
}

/**
 * Removes a member. @throws DeckhandError NOT_FOUND; FORBIDDEN without the permission, and for an owner unless the
 * actor is one; INVALID_STATE for the last owner.
 */
export function removeMember(db: Database, actor: Actor, workspaceId: string, userId: string): Promise<void> {
  return db.$transaction(async (tx) => {
    const actorRole = await lockMembers(tx, actor, workspaceId, 'members.manage');
    const role = await memberRole(tx, workspaceId, userId);
    requireOwnerFor(actorRole, role);
    if (role === 'owner') await requireAnotherOwner(tx, workspaceId, userId);
    await tx.membership.delete({ where: { workspaceId_userId: { workspaceId, userId } } });
    await recordChange(tx, actor, { action: 'member.remove', workspaceId, resourceId: userId, details: { role } });
  });
}

/**
 * Removes the actor from a workspace. @throws DeckhandError NOT_FOUND for no member; INVALID_STATE for the last owner.
 */
export function leaveWorkspace(db: Database, actor: Actor, workspaceId: string): Promise<void> {
  const { userId } = actor;
  return db.$transaction(async (tx) => {
    const role = await lockMembers(tx, actor, workspaceId, 'workspace.see');
    if (role === 'owner') await requireAnotherOwner(tx, workspaceId, userId);
    await tx.membership.delete({ where: { workspaceId_userId: { workspaceId, userId } } });
    await recordChange(tx, actor, { action: 'member.leave', workspaceId, resourceId: userId, details: { role } });
  });
}

/**
 * Locks the members of a workspace: what is read afterwards stays true until the transaction ends.
 * @returns the actor's role.
 * @throws DeckhandError NOT_FOUND when the actor may not see the workspace; FORBIDDEN when its role lacks the
 * permission.
 */
export async function lockMembers(
  tx: Queryable,
  actor: Actor,
  workspaceId: string,
  permission: Permission,
): Promise<Role> {
  await lockWorkspace(tx, workspaceId);
  const { role } = await findWorkspace(tx, actor, workspaceId, permission);
  return role;
}

/** Returns the role of a member. @throws DeckhandError NOT_FOUND for no member. */
async function memberRole(tx: Queryable, workspaceId: string, userId: string): Promise<Role> {
  const where = { workspaceId_userId: { workspaceId, userId } };
  const member = await tx.membership.findUnique({ where, select: { role: true } });
  if (!member) throw new DeckhandError('NOT_FOUND', { message: 'No such member' });
  return member.role;
}

/** Checks that only owners grant and revoke the role owner. @throws DeckhandError FORBIDDEN. */
export function requireOwnerFor(actorRole: Role, ...roles: readonly Role[]): void {
  if (!roleMay(actorRole, 'owners.manage') && roles.includes('owner')) {
    throw new DeckhandError('FORBIDDEN', { message: 'Only owners may do this to or for an owner' });
  }
}

/**
 * Checks, with the members locked, that an owner who goes is not the last one. @throws DeckhandError INVALID_STATE for
 * the last one.
 */
async function requireAnotherOwner(tx: Queryable, workspaceId: string, userId: string): Promise<void> {
  const others = await tx.membership.count({ where: { workspaceId, role: 'owner', userId: { not: userId } } });
  if (others === 0) {
    throw new DeckhandError('INVALID_STATE', { message: 'A workspace needs an owner, and this is the last one' });
  }
}

interface Row {
  readonly userId: string;
  readonly role: Role;
  readonly createdAt: Date;
  readonly user: { readonly email: string; readonly name: string };
}

/** Converts a member to its entry in lists. */
function toMemberEntry({ userId, role, createdAt, user }: Row): MemberEntry {
  return { userId, email: user.email, name: user.name, role, createdAt: createdAt.toISOString() };
}

import { DeckhandError, roleMay, type Permission, type Role, rolesWith } from '@deckhand/contracts';
import { Prisma, type Queryable } from './client.ts';

/** The origin of a request, for the audit log. */
export interface Origin {
  /** The API key that was used; null for a session. */
  readonly apiKeyId: string | null;
  /** The caller's network address. */
  readonly address: string;
  readonly requestId: string;
}

/** The person for whom a store acts. Every read and write is limited to what this person may see and do. */
export interface Actor {
  readonly userId: string;
  /** The only workspace that the caller's API key may touch; null for no such limit. */
  readonly boundTo: string | null;
  /** Called only when a change is recorded in the audit log. Without it, the record names the person but no origin. */
  origin?(): Origin;
  /**
   * The token of a request with an Idempotency-Key, which is marked as carried out in the transaction that makes the
   * change.
   */
  readonly requestToken?: string;
}

/**
 * The unknown person who answers a wait by a link to it. A process of this instance signed the link: it proves the
 * right to answer that one wait, and nothing else, so there is no membership to check.
 */
export interface LinkHolder {
  readonly userId: null;
  origin(): Origin;
  readonly requestToken?: never;
}

/** The service itself, which changes something without a request of a person. */
export interface System {
  readonly userId: null;
  readonly origin?: never;
  readonly requestToken?: never;
}

/** The times of last change of the states in which a write is allowed (If-Match). Undefined allows any state. */
export type AllowedStates = readonly Date[] | undefined;

/** Returns the states as a condition for Prisma's models. */
export function inState(states: AllowedStates): { updatedAt?: { in: Date[] } } {
  return states === undefined ? {} : { updatedAt: { in: [...states] } };
}

/** Returns the error for a resource that was found before, in the same transaction, but is in another state. */
export function changedMeanwhile(states: AllowedStates, otherwise: DeckhandError): DeckhandError {
  return states === undefined ? otherwise : new DeckhandError('PRECONDITION_FAILED');
}

/** Returns the condition, for Prisma's models, for workspaces where the actor has a permission. */
export function visibleWorkspace(actor: Actor, permission: Permission) {
  return {
    ...(actor.boundTo === null ? {} : { id: actor.boundTo }),
    memberships: { some: { userId: actor.userId, role: { in: rolesWith(permission) } } },
  } satisfies Prisma.WorkspaceWhereInput;
}

/** Returns the condition, as SQL, that the membership `m` has a permission. */
export function memberMay(permission: Permission): Prisma.Sql {
  const roles = rolesWith(permission).map((role) => `'${role}'`);
  return Prisma.raw(`(m.role::text IN (${roles.join(', ')}))`);
}

/**
 * Returns the actor's role in a workspace that a request names.
 * @throws DeckhandError FORBIDDEN if the actor is not a member, whether the workspace exists or not, or its role lacks
 * the permission; WORKSPACE_MISMATCH if the actor's key is bound to another workspace.
 */
export async function requirePermission(
  db: Queryable,
  actor: Actor,
  workspaceId: string,
  permission: Permission,
): Promise<Role> {
  if (actor.boundTo !== null && actor.boundTo !== workspaceId.toLowerCase())
    throw new DeckhandError('WORKSPACE_MISMATCH');
  const membership = await db.membership.findUnique({
    where: { workspaceId_userId: { workspaceId, userId: actor.userId } },
    select: { role: true },
  });
  if (!membership) throw new DeckhandError('FORBIDDEN', { message: 'You are not a member of this workspace' });
  requirePermissionOf(membership.role, permission);
  return membership.role;
}

/**
 * Returns the workspace of a workflow for which the actor needs a permission.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN when its role lacks the permission.
 */
export async function requireWorkflow(
  db: Queryable,
  actor: Actor,
  id: string,
  permission: Permission,
): Promise<{ readonly workspaceId: string }> {
  const workflow = await db.workflow.findFirst({
    where: { id, workspace: visibleWorkspace(actor, 'workspace.see') },
    select: { workspaceId: true, workspace: { select: { memberships: { where: { userId: actor.userId } } } } },
  });
  const role = workflow?.workspace.memberships[0]?.role;
  if (!workflow || role === undefined || isHidden(role, permission, 'workflows.read'))
    throw new DeckhandError('NOT_FOUND');
  requirePermissionOf(role, permission);
  return { workspaceId: workflow.workspaceId };
}

/**
 * Returns whether a role that lacks a permission may not even see what the permission is needed for: it gets NOT_FOUND
 * then, and FORBIDDEN otherwise. @param seenBy the permission to see it.
 */
export function isHidden(role: Role, permission: Permission, seenBy: Permission): boolean {
  return !roleMay(role, permission) && !roleMay(role, seenBy);
}

/** @throws DeckhandError FORBIDDEN when the role lacks the permission. */
export function requirePermissionOf(role: Role, permission: Permission): void {
  if (!roleMay(role, permission)) throw new DeckhandError('FORBIDDEN', { message: needsPermission(permission) });
}

/** Returns the message for an actor who lacks a permission. */
export function needsPermission(permission: Permission): string {
  return `This needs the permission ${permission}`;
}

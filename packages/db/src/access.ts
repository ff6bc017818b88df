import { DeckhandError, hasRole, type Role, ROLES } from '@deckhand/contracts';
import { type Prisma, type Queryable } from './client.ts';

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

/** Returns the roles that include the rights of `needed`. */
export function rolesFrom(needed: Role): Role[] {
  return ROLES.filter((role) => hasRole(role, needed));
}

/** Returns the condition, for Prisma's models, for workspaces that the actor may see. */
export function visibleWorkspace(actor: Actor, needed: Role = 'viewer') {
  return {
    ...(actor.boundTo === null ? {} : { id: actor.boundTo }),
    memberships: { some: { userId: actor.userId, role: { in: rolesFrom(needed) } } },
  } satisfies Prisma.WorkspaceWhereInput;
}

/**
 * Returns the actor's role in a workspace that a request names.
 * @throws DeckhandError FORBIDDEN if the actor is not a member, whether the workspace exists or not, or its role is too
 * low; WORKSPACE_MISMATCH if the actor's key is bound to another workspace.
 */
export async function requireRole(db: Queryable, actor: Actor, workspaceId: string, needed: Role): Promise<Role> {
  if (actor.boundTo !== null && actor.boundTo !== workspaceId.toLowerCase())
    throw new DeckhandError('WORKSPACE_MISMATCH');
  const membership = await db.membership.findUnique({
    where: { workspaceId_userId: { workspaceId, userId: actor.userId } },
    select: { role: true },
  });
  if (!membership) throw new DeckhandError('FORBIDDEN', { message: 'You are not a member of this workspace' });
  requireRoleOf(membership.role, needed);
  return membership.role;
}

/**
 * Returns a workflow that the actor may see, with the role that is needed.
 * @throws DeckhandError NOT_FOUND; FORBIDDEN when the role is too low.
 */
export async function requireWorkflow(
  db: Queryable,
  actor: Actor,
  id: string,
  needed: Role,
): Promise<{ readonly workspaceId: string }> {
  const workflow = await db.workflow.findFirst({
    where: { id, workspace: visibleWorkspace(actor) },
    select: { workspaceId: true },
  });
  if (!workflow) throw new DeckhandError('NOT_FOUND');
  await requireRole(db, actor, workflow.workspaceId, needed);
  return workflow;
}

/** @throws DeckhandError FORBIDDEN when the role is too low. */
export function requireRoleOf(role: Role, needed: Role): void {
  if (!hasRole(role, needed)) throw new DeckhandError('FORBIDDEN', { message: `This needs the role ${needed}` });
}

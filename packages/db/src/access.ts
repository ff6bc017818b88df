import { DeckhandError, hasRole, type Role, ROLES } from '@deckhand/contracts';
import { type Prisma, type Queryable } from './client.js';

/** Where a request came from: what the audit log says beside who. */
export interface Origin {
  /** The API key that was used; null for a session. */
  readonly apiKeyId: string | null;
  /** The caller's network address. */
  readonly address: string;
  readonly requestId: string;
}

/** On whose behalf a store acts. Every read and write is limited to what this person may see and do. */
export interface Actor {
  readonly userId: string;
  /** The only workspace that the caller's API key may touch; null for no such limit. */
  readonly boundTo: string | null;
  /** Asked only when a change is put on record; without it the record says who, not from where. */
  origin?(): Origin;
  /** The request that the change is part of, where it has an Idempotency-Key: marked by whoever makes the change. */
  readonly requestToken?: string;
}

/**
 * When something was changed last in each of the states that its writer would change; undefined where any will do.
 */
export type AllowedStates = readonly Date[] | undefined;

/** As a condition of Prisma's models. */
export function inState(states: AllowedStates): { updatedAt?: { in: Date[] } } {
  return states === undefined ? {} : { updatedAt: { in: [...states] } };
}

/** The refusal for something that is in another state: it was found before, in the same transaction. */
export function changedMeanwhile(states: AllowedStates, otherwise: DeckhandError): DeckhandError {
  return states === undefined ? otherwise : new DeckhandError('PRECONDITION_FAILED');
}

/** The roles that may do what `needed` may. */
export function rolesFrom(needed: Role): Role[] {
  return ROLES.filter((role) => hasRole(role, needed));
}

/** Workspaces that the actor may see, as a condition of Prisma's models. */
export function visibleWorkspace(actor: Actor, needed: Role = 'viewer') {
  return {
    ...(actor.boundTo === null ? {} : { id: actor.boundTo }),
    memberships: { some: { userId: actor.userId, role: { in: rolesFrom(needed) } } },
  } satisfies Prisma.WorkspaceWhereInput;
}

/**
 * The actor's role in a workspace that a request names.
 * @throws DeckhandError FORBIDDEN for no member, whether the workspace exists or not, and for a role that is too low;
 * WORKSPACE_MISMATCH when the actor's key is bound to another.
 */
export async function requireRole(db: Queryable, actor: Actor, workspaceId: string, needed: Role): Promise<Role> {
  if (actor.boundTo !== null && actor.boundTo !== workspaceId.toLowerCase())
    throw new DeckhandError('WORKSPACE_MISMATCH');
  const membership = await db.membership.findUnique({
    where: { workspaceId_userId: { workspaceId, userId: actor.userId } },
    select: { role: true },
  });
  if (!membership) throw new DeckhandError('FORBIDDEN', { message: 'You are no member of this workspace' });
  requireRoleOf(membership.role, needed);
  return membership.role;
}

/** @throws DeckhandError FORBIDDEN when the role is too low. */
export function requireRoleOf(role: Role, needed: Role): void {
  if (!hasRole(role, needed)) throw new DeckhandError('FORBIDDEN', { message: `This needs the role ${needed}` });
}

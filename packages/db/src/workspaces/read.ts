import { DeckhandError, type Role, type WorkspaceEntry } from '@deckhand/contracts';
import { type Actor, requireRoleOf } from '../access.js';
import type { Database, Queryable } from '../client.js';
import { toWorkspaceEntry } from './list.js';

/** Reads a workspace. @throws DeckhandError NOT_FOUND when the actor may not see it. */
export function readWorkspace(db: Database, actor: Actor, id: string): Promise<WorkspaceEntry> {
  return findWorkspace(db, actor, id, 'viewer');
}

/**
 * Finds a workspace by id for an actor who needs a role there.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN when the role is too low.
 */
export async function findWorkspace(db: Queryable, actor: Actor, id: string, needed: Role): Promise<WorkspaceEntry> {
  const isOutOfReach = actor.boundTo !== null && actor.boundTo !== id;
  const membership = isOutOfReach
    ? null
    : await db.membership.findUnique({
        where: { workspaceId_userId: { workspaceId: id, userId: actor.userId } },
        include: { workspace: true },
      });
  if (!membership) throw new DeckhandError('NOT_FOUND', { message: 'No such workspace' });
  requireRoleOf(membership.role, needed);
  return toWorkspaceEntry(membership.workspace, membership.role);
}

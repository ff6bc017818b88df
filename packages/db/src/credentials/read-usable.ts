import type { CredentialType } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import type { Database } from '../client.js';
import { type Place, workspaceOf } from '../workflows/visible.js';

/** The facts about a credential that saving a definition needs. */
export interface UsableCredential {
  readonly type: CredentialType;
  /** Why a version that the actor saves could not use it; null if it could. */
  readonly refusal: 'private' | 'otherWorkflow' | null;
}

/**
 * Reads the facts about the given credentials that exist in a workspace, by id. @param place if the actor may not see
 * it, nothing is found.
 */
export async function readUsableCredentials(
  db: Database,
  actor: Actor,
  place: Place,
  ids: readonly string[],
): Promise<ReadonlyMap<string, UsableCredential>> {
  if (ids.length === 0) return new Map();
  const workflowId = 'workflowId' in place ? place.workflowId : undefined;
  const rows = await db.credential.findMany({
    where: { id: { in: [...ids] }, workspace: workspaceOf(place, actor) },
    select: { id: true, type: true, visibility: true, ownerId: true, allowedWorkflowIds: true },
  });
  const keys = await db.apiKey.findMany({
    where: { credentialId: { in: rows.map(({ id }) => id) }, userId: { not: actor.userId } },
    select: { credentialId: true },
  });
  const keysOfOthers = new Set(keys.map(({ credentialId }) => credentialId));
  const refusalOf = (row: (typeof rows)[number]): UsableCredential['refusal'] => {
    if (keysOfOthers.has(row.id) || (row.visibility === 'private' && row.ownerId !== actor.userId)) return 'private';
    const isForAll = row.allowedWorkflowIds.length === 0;
    return isForAll || row.allowedWorkflowIds.some((id) => id === workflowId) ? null : 'otherWorkflow';
  };
  return new Map(rows.map((row) => [row.id, { type: row.type, refusal: refusalOf(row) }]));
}

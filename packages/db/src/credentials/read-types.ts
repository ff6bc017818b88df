import type { CredentialType } from '@deckhand/contracts';
import { type Actor, visibleWorkspace } from '../access.js';
import type { Database } from '../client.js';

/** What saving a definition needs to know of a credential. */
export interface CredentialUse {
  readonly type: CredentialType;
  /** Whether it holds an API key of somebody else than the actor. */
  readonly isOthersKey: boolean;
}

/**
 * The types of credentials by id, of those that are in a workspace.
 * @param place the workspace, or a workflow in it. Where the actor may not see it, nothing is found.
 */
export async function readCredentialTypes(
  db: Database,
  actor: Actor,
  place: { readonly workspaceId: string } | { readonly workflowId: string },
  ids: readonly string[],
): Promise<ReadonlyMap<string, CredentialUse>> {
  if (ids.length === 0) return new Map();
  const within = 'workflowId' in place ? { workflows: { some: { id: place.workflowId } } } : { id: place.workspaceId };
  const rows = await db.credential.findMany({
    where: { id: { in: [...ids] }, workspace: { AND: [within, visibleWorkspace(actor)] } },
    select: { id: true, type: true },
  });
  const keys = await db.apiKey.findMany({
    where: { credentialId: { in: rows.map(({ id }) => id) }, userId: { not: actor.userId } },
    select: { credentialId: true },
  });
  const others = new Set(keys.map(({ credentialId }) => credentialId));
  return new Map(rows.map(({ id, type }) => [id, { type, isOthersKey: others.has(id) }]));
}

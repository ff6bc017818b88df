import { addCallbackLanes, type Actor, type Database, findWorkspaceToStart } from '@deckhand/db';
import { createSymmetricSecret, type SecretBox } from '@deckhand/runtime';
import { LRUCache } from 'lru-cache';

/**
 * Sees to it that the workspace of a workflow has a secret and lanes for callbacks, before a run with one is accepted.
 * Does nothing for a workflow that the actor may not start: the start will be refused.
 */
export type PrepareCallbacks = (actor: Actor, workflowId: string) => Promise<void>;

/** Workflows whose workspaces are known to be prepared. */
const MAX_REMEMBERED = 20_000;

/** Creates the function. It reads the database once for each workflow. */
export function createPrepareCallbacks({ db, secretBox }: { db: Database; secretBox: SecretBox }): PrepareCallbacks {
  const prepared = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  return async (actor, workflowId) => {
    if (prepared.has(workflowId)) return;
    const workspaceId = await findWorkspaceToStart(db, actor, workflowId);
    if (workspaceId === undefined) return;
    await addCallbackLanes(db, workspaceId, await secretBox.seal(createSymmetricSecret()));
    prepared.set(workflowId, true);
  };
}

import { validationFailed } from '@deckhand/contracts';
import { type Actor, visibleWorkspace } from '../access.js';
import type { Database } from '../client.js';
import { noSuchWorkflow } from './lock.js';

/** The data of a workflow that a duplicate needs. */
export interface Original {
  readonly workspaceId: string;
  readonly folderId: string | null;
  readonly name: string;
  readonly description: string;
  /** Null if no version was ever saved. */
  readonly version: { readonly id: string; readonly number: number; readonly definition: unknown } | null;
}

/**
 * Reads a workflow for its duplicate. @param versionId undefined takes the latest version. @throws DeckhandError
 * NOT_FOUND when the actor may not see it; VALIDATION_FAILED for a version of another workflow.
 */
export async function readToDuplicate(
  db: Database,
  actor: Actor,
  id: string,
  versionId: string | undefined,
): Promise<Original> {
  const row = await db.workflow.findFirst({
    where: { id, workspace: visibleWorkspace(actor) },
    select: { workspaceId: true, folderId: true, name: true, description: true, latestVersionId: true },
  });
  if (!row) throw noSuchWorkflow();
  const { latestVersionId, ...columns } = row;
  const wanted = versionId ?? latestVersionId;
  if (wanted === null) return { ...columns, version: null };
  const version = await db.workflowVersion.findFirst({
    where: { id: wanted, workflowId: id },
    select: { id: true, number: true, definition: true },
  });
  if (!version) throw validationFailed([{ path: 'versionId', message: 'is no version of this workflow' }]);
  return { ...columns, version };
}

import { DeckhandError, type WorkspaceUsage, type WorkspaceUsageAndLimits } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import { toLimits, WORKSPACE_LIMITS } from '../admin/limits.js';
import type { Database } from '../client.js';
import { findWorkspace } from './read.js';

/**
 * Reads how much a workspace uses, and its limits. Bytes that were written within the last moments may be missing:
 * maintenance adds them soon.
 * @throws DeckhandError NOT_FOUND when the actor may not see the workspace.
 */
export async function readWorkspaceUsage(db: Database, actor: Actor, id: string): Promise<WorkspaceUsageAndLimits> {
  await findWorkspace(db, actor, id, 'viewer');
  const row = await db.workspace.findUnique({ where: { id }, select: { storedBytes: true, ...WORKSPACE_LIMITS } });
  if (!row) throw new DeckhandError('NOT_FOUND', { message: 'No such workspace' });
  const { storedBytes, ...limits } = row;
  return { storedBytes: Number(storedBytes), ...toLimits(limits) };
}

/** Reads the storage that a workflow's workspace uses, and its quota; undefined when there is no such workflow. */
export async function readStorage(
  db: Database,
  workflowId: string,
): Promise<(WorkspaceUsage & { readonly storageQuotaBytes: number | null }) | undefined> {
  const select = { storedBytes: true, storageQuotaBytes: true } as const;
  const found = await db.workflow.findUnique({ where: { id: workflowId }, select: { workspace: { select } } });
  if (!found) return undefined;
  const { storedBytes, storageQuotaBytes } = found.workspace;
  return {
    storedBytes: Number(storedBytes),
    storageQuotaBytes: storageQuotaBytes === null ? null : Number(storageQuotaBytes),
  };
}

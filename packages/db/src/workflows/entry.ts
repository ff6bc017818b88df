import type { WorkflowEntry } from '@deckhand/contracts';
import type { Workflow } from '../generated/client.js';

/** Converts a workflow to its entry in lists, without its definition. */
export function toWorkflowEntry(row: Workflow): WorkflowEntry {
  return {
    id: row.id,
    workspaceId: row.workspaceId,
    name: row.name,
    description: row.description,
    status: row.status,
    folderId: row.folderId,
    latestVersionId: row.latestVersionId,
    activeVersionId: row.activeVersionId,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

import type { CredentialEntry } from '@deckhand/contracts';
import type { Credential } from '../generated/client.js';

/** The columns that people may see: all except the secret, which is not read. */
export const SHOWN = {
  id: true,
  workspaceId: true,
  name: true,
  type: true,
  ownerId: true,
  visibility: true,
  allowedHosts: true,
  allowedWorkflowIds: true,
  createdAt: true,
  updatedAt: true,
} as const;

/** Converts a credential to its entry in lists. */
export function toCredentialEntry(row: Pick<Credential, keyof typeof SHOWN>): CredentialEntry {
  return {
    id: row.id,
    workspaceId: row.workspaceId,
    name: row.name,
    type: row.type,
    ownerId: row.ownerId,
    visibility: row.visibility,
    allowedHosts: row.allowedHosts.length === 0 ? null : row.allowedHosts,
    allowedWorkflowIds: row.allowedWorkflowIds.length === 0 ? null : row.allowedWorkflowIds,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

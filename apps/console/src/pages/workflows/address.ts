import { NO_FOLDER, type WorkflowStatus } from '@deckhand/contracts';
import type { WorkflowFilter } from '../../api/workflows.js';

/** What the address of the list says: where one is, and what one looks for. */
export interface WorkflowAddress {
  /** The folder one is in; the top without. */
  readonly folderId?: string | undefined;
  readonly search?: string | undefined;
  readonly status?: WorkflowStatus | undefined;
  /** Looks in every folder, not just in this one and those in it. */
  readonly scope?: Scope | undefined;
}

export const SCOPES = ['everywhere'] as const;
type Scope = (typeof SCOPES)[number];

/** Whether a filter is set. Without one, the list shows the content of a folder. */
export function isFinding({ search, status }: WorkflowAddress): boolean {
  return search !== undefined || status !== undefined;
}

/** The folder in which one looks, with those in it; null is the top, so everywhere. */
export function lookedIn({ folderId, scope }: WorkflowAddress): string | null {
  return scope === 'everywhere' ? null : (folderId ?? null);
}

/** What the API is asked for. */
export function toFilter(address: WorkflowAddress): WorkflowFilter {
  const { folderId, search, status } = address;
  if (!isFinding(address)) return { folderId: folderId ?? NO_FOLDER };
  const within = lookedIn(address);
  return within === null ? { search, status } : { search, status, folderId: within, includeInnerFolders: true };
}

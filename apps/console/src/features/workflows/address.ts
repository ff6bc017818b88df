import { NO_FOLDER, type WorkflowStatus } from '@deckhand/contracts';
import type { WorkflowFilter } from '../../api/workflows.ts';

/** The parameters of the list in the URL: the folder and the filters. */
export interface WorkflowAddress {
  /** The current folder; undefined for the top. */
  readonly folderId?: string | undefined;
  readonly search?: string | undefined;
  readonly status?: WorkflowStatus | undefined;
  /** The order; by default, the last changed first. */
  readonly sort?: Sort | undefined;
  /** Searches every folder, not only the current one and its subfolders. */
  readonly scope?: Scope | undefined;
}

export const SCOPES = ['everywhere'] as const;
type Scope = (typeof SCOPES)[number];

/** The orders of the list, apart from the default one. */
export const SORTS = ['name', 'created'] as const;
type Sort = (typeof SORTS)[number];

const ORDERS = {
  name: { sortBy: 'name', sortOrder: 'asc' },
  created: { sortBy: 'createdAt', sortOrder: 'desc' },
} as const satisfies Record<Sort, WorkflowFilter>;

/** Returns true if a filter is set. Without one, the list shows the content of a folder. */
export function isFinding({ search, status }: WorkflowAddress): boolean {
  return search !== undefined || status !== undefined;
}

/** Returns the folder that is searched, with its subfolders; null for all folders. */
export function searchedFolder({ folderId, scope }: WorkflowAddress): string | null {
  return scope === 'everywhere' ? null : (folderId ?? null);
}

/** Returns the filter for the API. */
export function toFilter(address: WorkflowAddress): WorkflowFilter {
  const { folderId, search, status, sort } = address;
  const order = sort === undefined ? {} : ORDERS[sort];
  if (!isFinding(address)) return { folderId: folderId ?? NO_FOLDER, ...order };
  const within = searchedFolder(address);
  const found = { search, status, ...order };
  return within === null ? found : { ...found, folderId: within, includeInnerFolders: true };
}

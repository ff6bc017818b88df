import type { FolderEntry, WorkflowActivity, WorkflowEntry } from '@deckhand/contracts';
import { allFolders, type FolderTree, isWithin, pathTo } from '../../api/folder-tree.ts';
import { isFinding, searchedFolder, type WorkflowAddress } from './address.ts';

/** How a workflow is doing. */
export type Activity = WorkflowActivity['data'][number];

/** A folder or a workflow in the list; the activity is undefined until it is loaded. */
export type Row = (
  | { readonly kind: 'folder'; readonly folder: FolderEntry }
  | { readonly kind: 'workflow'; readonly workflow: WorkflowEntry; readonly activity: Activity | undefined }
) & {
  readonly id: string;
  readonly name: string;
  readonly workspaceId: string;
  /** The folders that contain it, the outermost first. */
  readonly path: readonly FolderEntry[];
};

/** Returns folders first, then workflows in the given order. */
export function toRows(
  tree: FolderTree,
  address: WorkflowAddress,
  workflows: readonly WorkflowEntry[],
  activity: ReadonlyMap<string, Activity> = new Map(),
): Row[] {
  const folders = isFinding(address) ? foldersFound(tree, address) : (tree.inner.get(address.folderId ?? null) ?? []);
  return [
    ...folders.map((folder): Row => ({ kind: 'folder', folder, ...shared(folder, pathTo(tree, folder.parentId)) })),
    ...workflows.map((workflow): Row => ({
      kind: 'workflow',
      workflow,
      activity: activity.get(workflow.id),
      ...shared(workflow, pathTo(tree, workflow.folderId)),
    })),
  ];
}

function shared({ id, name, workspaceId }: FolderEntry | WorkflowEntry, path: readonly FolderEntry[]) {
  return { id, name, workspaceId, path };
}

/** Folders can be found by name, but not by status. */
function foldersFound(tree: FolderTree, address: WorkflowAddress): FolderEntry[] {
  const { search, status } = address;
  if (search === undefined || status !== undefined) return [];
  const text = search.toLowerCase();
  const outer = searchedFolder(address);
  return allFolders(tree).filter(
    ({ id, name }) => id !== outer && name.toLowerCase().includes(text) && isWithin(tree, id, outer),
  );
}

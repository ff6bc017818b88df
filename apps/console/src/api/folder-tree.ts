import type { FolderEntry } from '@deckhand/contracts';

/** The folders of a workspace as a tree. */
export interface FolderTree {
  readonly byId: ReadonlyMap<string, FolderEntry>;
  /** The direct subfolders of each folder, by name; those at the top are under null. */
  readonly inner: ReadonlyMap<string | null, readonly FolderEntry[]>;
}

/** A target of a move. */
export interface Target {
  /** Null is the top. */
  readonly folderId: string | null;
  /** The folders on its path, the outermost first; none for the top. */
  readonly path: readonly FolderEntry[];
}

/** Sorts as people expect: case-insensitively, "9" before "10". */
const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Builds the tree from a flat list. The content of an unknown folder is at the top. */
export function toTree(folders: readonly FolderEntry[]): FolderTree {
  const byId = new Map(folders.map((folder) => [folder.id, folder]));
  const inner = new Map<string | null, FolderEntry[]>();
  for (const folder of folders.toSorted((a, b) => byName.compare(a.name, b.name))) {
    const parentId = folder.parentId !== null && byId.has(folder.parentId) ? folder.parentId : null;
    const siblings = inner.get(parentId);
    if (siblings) siblings.push(folder);
    else inner.set(parentId, [folder]);
  }
  return { byId, inner };
}

/** Returns the path to a folder, including itself, the outermost first; empty for the top and unknown folders. */
export function pathTo(tree: FolderTree, folderId: string | null): FolderEntry[] {
  const path: FolderEntry[] = [];
  let folder = folderId === null ? undefined : tree.byId.get(folderId);
  // Pages of a list that were read before and after moves could form a cycle.
  while (folder && !path.includes(folder)) {
    path.unshift(folder);
    folder = folder.parentId === null ? undefined : tree.byId.get(folder.parentId);
  }
  return path;
}

/** Returns all folders, each before its subfolders. */
export function allFolders(tree: FolderTree, below: string | null = null): FolderEntry[] {
  return (tree.inner.get(below) ?? []).flatMap((folder) => [folder, ...allFolders(tree, folder.id)]);
}

/**
 * Returns true if a folder is the other one, or inside it at any depth. Everything is inside the top, which is null.
 */
export function isWithin(tree: FolderTree, folderId: string, outerId: string | null): boolean {
  return outerId === null || pathTo(tree, folderId).some(({ id }) => id === outerId);
}

/** Returns the possible targets for the content of a folder: any other folder. */
export function targetsOf(tree: FolderTree, from: string | null): Target[] {
  const top = { folderId: null, path: [] };
  const all = [top, ...allFolders(tree).map(({ id }) => ({ folderId: id, path: pathTo(tree, id) }))];
  return all.filter(({ folderId }) => folderId !== from);
}

/** Returns the possible targets for a folder: any other folder outside of it. */
export function targetsOfFolder(tree: FolderTree, { id, parentId }: FolderEntry): Target[] {
  return targetsOf(tree, parentId).filter(({ folderId }) => folderId === null || !isWithin(tree, folderId, id));
}

/** Formats a path, such as "Billing / Invoices". */
export function describePath(path: readonly FolderEntry[]): string {
  return path.map(({ name }) => name).join(' / ');
}

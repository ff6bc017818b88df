import type { FolderEntry } from '@deckhand/contracts';

/** The folders of a workspace, to be walked up and down. */
export interface FolderTree {
  readonly byId: ReadonlyMap<string, FolderEntry>;
  /** The folders right in each folder, by name; those of the top are under null. */
  readonly inner: ReadonlyMap<string | null, readonly FolderEntry[]>;
}

/** A target of a move. */
export interface Target {
  /** Null is the top. */
  readonly folderId: string | null;
  /** The folders on the way, the outermost first; none for the top. */
  readonly path: readonly FolderEntry[];
}

/** Sorts like people: case-insensitively, "9" before "10". */
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

/** The folders on the way to one, itself included, the outermost first; none for the top or an unknown one. */
export function pathTo(tree: FolderTree, folderId: string | null): FolderEntry[] {
  const path: FolderEntry[] = [];
  let folder = folderId === null ? undefined : tree.byId.get(folderId);
  // Pages of a list that were read before and after moves could close a circle.
  while (folder && !path.includes(folder)) {
    path.unshift(folder);
    folder = folder.parentId === null ? undefined : tree.byId.get(folder.parentId);
  }
  return path;
}

/** Every folder, each before those in it. */
export function allFolders(tree: FolderTree, below: string | null = null): FolderEntry[] {
  return (tree.inner.get(below) ?? []).flatMap((folder) => [folder, ...allFolders(tree, folder.id)]);
}

/** Whether a folder is another one or lies in it, at whatever depth; everything lies in the top, which is null. */
export function isWithin(tree: FolderTree, folderId: string, outerId: string | null): boolean {
  return outerId === null || pathTo(tree, folderId).some(({ id }) => id === outerId);
}

/** Where what lies in a folder can be moved: anywhere else. */
export function targetsOf(tree: FolderTree, from: string | null): Target[] {
  const top = { folderId: null, path: [] };
  const all = [top, ...allFolders(tree).map(({ id }) => ({ folderId: id, path: pathTo(tree, id) }))];
  return all.filter(({ folderId }) => folderId !== from);
}

/** Where a folder can be moved: anywhere else, but not into itself. */
export function targetsOfFolder(tree: FolderTree, { id, parentId }: FolderEntry): Target[] {
  return targetsOf(tree, parentId).filter(({ folderId }) => folderId === null || !isWithin(tree, folderId, id));
}

/** A path as people write it, such as "Billing / Invoices". */
export function describePath(path: readonly FolderEntry[]): string {
  return path.map(({ name }) => name).join(' / ');
}

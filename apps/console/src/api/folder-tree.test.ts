import { describe, expect, it } from '@jest/globals';
import type { FolderEntry } from '@deckhand/contracts';
import { allFolders, describePath, isWithin, pathTo, targetsOf, targetsOfFolder, toTree } from './folder-tree.ts';

const folder = (id: string, parentId: string | null = null): FolderEntry => ({
  id,
  parentId,
  name: id,
  workspaceId: 'w',
  createdAt: '2026-01-01T00:00:00.000Z',
});
const ids = (folders: readonly FolderEntry[] = []): string[] => folders.map(({ id }) => id);

const invoices = folder('Invoices', 'Billing');
const tree = toTree([
  folder('part 10', 'Invoices'),
  folder('part 9', 'Invoices'),
  invoices,
  folder('Shipping'),
  folder('Billing'),
]);

describe('the tree of folders', () => {
  it('has folders in each other, by name as people sort', () => {
    expect(ids(tree.inner.get(null))).toEqual(['Billing', 'Shipping']);
    expect(ids(tree.inner.get('Invoices'))).toEqual(['part 9', 'part 10']);
    expect(ids(allFolders(tree))).toEqual(['Billing', 'Invoices', 'part 9', 'part 10', 'Shipping']);
    const within = (outer: string | null) => ids(allFolders(tree)).filter((id) => isWithin(tree, id, outer));
    expect(within('Billing')).toEqual(['Billing', 'Invoices', 'part 9', 'part 10']);
    expect(within(null)).toHaveLength(5);
  });

  it('knows the way to a folder', () => {
    expect(ids(pathTo(tree, 'part 9'))).toEqual(['Billing', 'Invoices', 'part 9']);
    expect(describePath(pathTo(tree, 'Invoices'))).toBe('Billing / Invoices');
    expect(pathTo(tree, null)).toEqual([]);
    expect(pathTo(tree, 'gone')).toEqual([]);
  });

  it('keeps a folder in sight whose parent is not in the list', () => {
    expect(ids(toTree([folder('orphan', 'gone')]).inner.get(null))).toEqual(['orphan']);
  });

  it('does not walk a circle for ever', () => {
    expect(ids(pathTo(toTree([folder('a', 'b'), folder('b', 'a')]), 'a'))).toEqual(['b', 'a']);
  });
});

describe('what lies in a folder', () => {
  it('can be moved anywhere but where it is', () => {
    const places = (from: string | null) => targetsOf(tree, from).map(({ path }) => describePath(path));
    const inBilling = ['Billing / Invoices', 'Billing / Invoices / part 9', 'Billing / Invoices / part 10'];
    expect(places(null)).toEqual(['Billing', ...inBilling, 'Shipping']);
    expect(places('Billing')).toEqual(['', ...inBilling, 'Shipping']);
  });

  it('can, as a folder, not be moved into itself or what is in it', () => {
    expect(targetsOfFolder(tree, invoices).map(({ folderId }) => folderId)).toEqual([null, 'Shipping']);
    expect(targetsOfFolder(tree, folder('Billing')).map(({ folderId }) => folderId)).toEqual(['Shipping']);
  });
});

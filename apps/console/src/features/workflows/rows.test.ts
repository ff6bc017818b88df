import { describe, expect, it } from '@jest/globals';
import type { FolderEntry, WorkflowEntry } from '@deckhand/contracts';
import { describePath, toTree } from '../../api/folder-tree.ts';
import { toFilter, type WorkflowAddress } from './address.ts';
import { toRows } from './rows.ts';

const AT = '2026-01-01T00:00:00.000Z';
const folder = (name: string, parentId: string | null = null): FolderEntry => ({
  id: name,
  parentId,
  name,
  workspaceId: 'w',
  createdAt: AT,
});
const workflow: WorkflowEntry = {
  id: 'dun',
  workspaceId: 'w',
  name: 'Dun',
  description: '',
  status: 'draft',
  folderId: 'Invoices',
  slug: null,
  managed: false,
  latestVersionId: null,
  activeVersionId: null,
  errorWorkflowId: null,
  createdAt: AT,
  updatedAt: AT,
};
const tree = toTree([folder('Billing'), folder('Invoices', 'Billing'), folder('Old invoices')]);

describe('the list of workflows', () => {
  it.each<[string, WorkflowAddress, object, string[]]>([
    ['the top', {}, { folderId: 'none' }, ['Billing', 'Old invoices', 'Dun']],
    ['a folder', { folderId: 'Billing' }, { folderId: 'Billing' }, ['Invoices', 'Dun']],
    ['everywhere for a word', { search: 'INV' }, { search: 'INV' }, ['Invoices', 'Old invoices', 'Dun']],
    [
      'in a folder and those in it for a word',
      { folderId: 'Billing', search: 'i' },
      { search: 'i', folderId: 'Billing', includeInnerFolders: true },
      ['Invoices', 'Dun'],
    ],
    [
      'everywhere from within a folder',
      { folderId: 'Billing', search: 'inv', scope: 'everywhere' },
      { search: 'inv' },
      ['Invoices', 'Old invoices', 'Dun'],
    ],
    ['everywhere for a status, which folders do not have', { search: 'inv', status: 'draft' }, {}, ['Dun']],
    [
      'at what a folder holds once the search is over',
      { folderId: 'Billing', scope: 'everywhere' },
      {},
      ['Invoices', 'Dun'],
    ],
  ])('looks at %s', (_what, address, filter, names) => {
    expect(toFilter(address)).toMatchObject(filter);
    expect(toRows(tree, address, [workflow]).map(({ name }) => name)).toEqual(names);
  });

  it('says where each lies', () => {
    const places = toRows(tree, { search: 'inv' }, [workflow]).map(({ path }) => describePath(path));
    expect(places).toEqual(['Billing', '', 'Billing / Invoices']);
  });
});

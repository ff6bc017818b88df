import type { CreateFolderBody, FolderEntry, PageOf, UpdateFolderBody } from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { type FolderTree, toTree } from './folder-tree.ts';
import { call } from './call.ts';

/** Number of folders per request: the maximum of a list. */
const PAGE = 500;

/** The tree of a workspace's folders. */
export const foldersQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['folders', workspaceId],
    async queryFn({ signal }): Promise<FolderTree> {
      const folders: FolderEntry[] = [];
      for (;;) {
        const query = { workspaceId, limit: PAGE, offset: folders.length };
        const { data, hasMore } = await call<PageOf<FolderEntry>>('GET', '/api/folders', { query, signal });
        folders.push(...data);
        if (!hasMore) return toTree(folders);
      }
    },
  });

export const createFolder = (body: CreateFolderBody): Promise<FolderEntry> => call('POST', '/api/folders', { body });
export const updateFolder = (id: string, body: UpdateFolderBody): Promise<FolderEntry> =>
  call('PATCH', `/api/folders/${id}`, { body });
export const deleteFolder = (id: string): Promise<null> => call('DELETE', `/api/folders/${id}`);

import { InWorkspaceQuery, FolderEntry, pageOf } from '@deckhand/contracts';
import { listFolders as list } from '@deckhand/db';
import { queryReader } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const readQuery = queryReader(InWorkspaceQuery);

/** GET /api/folders */
export function listFolders({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/folders',
    {
      summary: 'List folders',
      description: 'Lists all folders of the workspace; `parentId` gives the tree.',
      returns: 'Folders by name',
      query: InWorkspaceQuery,
      responses: { 200: pageOf(FolderEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, readQuery(request)));
    },
  );
}

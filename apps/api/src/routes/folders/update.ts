import { compileBody, UpdateFolderBody, FolderEntry } from '@deckhand/contracts';
import { updateFolder as update } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { readBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const parse = compileBody(UpdateFolderBody);

/** PATCH /api/folders/{id} */
export function updateFolder({ db }: Services): Route {
  return forKey(
    'PATCH',
    '/api/folders/:id',
    {
      summary: 'Update a folder',
      description: 'Renames or moves it.',
      returns: 'The updated folder',
      body: UpdateFolderBody,
      responses: { 200: FolderEntry },
      errors: ['CONFLICT'],
    },
    async (request, response, caller) => {
      const id = pathId(request);
      sendJson(response, 200, await update(db, caller, id, parse(await readBody(request))));
    },
  );
}

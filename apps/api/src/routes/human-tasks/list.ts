import { HumanTaskEntry, ListWaitsQuery, pageOf } from '@deckhand/contracts';
import { listHumanTasks as list } from '@deckhand/db';
import { queryReader } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const readQuery = queryReader(ListWaitsQuery);

/** GET /api/human-tasks */
export function listHumanTasks({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/human-tasks',
    {
      summary: 'List human tasks',
      description: 'Lists the forms that runs of the workspace wait for.',
      returns: 'Open forms, the oldest first',
      query: ListWaitsQuery,
      responses: { 200: pageOf(HumanTaskEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, readQuery(request)));
    },
  );
}

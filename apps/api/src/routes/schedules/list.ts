import { ListSchedulesQuery, pageOf, ScheduleEntry } from '@deckhand/contracts';
import { listSchedules as list } from '@deckhand/db';
import { queryReader } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const readQuery = queryReader(ListSchedulesQuery);

/** GET /api/schedules */
export function listSchedules({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/schedules',
    {
      summary: 'List the schedules of a workspace',
      description: 'Lists the schedules of active versions, with their next times.',
      returns: 'Schedules of active versions, the next one first, those without a next time last',
      query: ListSchedulesQuery,
      responses: { 200: pageOf(ScheduleEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, readQuery(request)));
    },
  );
}

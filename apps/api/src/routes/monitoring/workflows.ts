import { RunStatsQuery, WorkflowTimes } from '@deckhand/contracts';
import { readWorkflowTimes } from '@deckhand/db';
import { queryReader } from '../../http/query.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';
import { readPeriod } from './period.js';

const readQuery = queryReader(RunStatsQuery);

const DAYS_MAX = 31;

/** GET /api/monitoring/workflows */
export function readSlowWorkflows({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/monitoring/workflows',
    {
      summary: 'List the slowest workflows of a workspace',
      description: 'Lists workflows by p95 of their durations, with the numbers of runs and failures.',
      returns: 'The slowest workflows of the period, with their times',
      query: RunStatsQuery,
      responses: { 200: WorkflowTimes },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await readWorkflowTimes(db, caller, readPeriod(readQuery(request), DAYS_MAX)));
    },
  );
}

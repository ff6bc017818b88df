import { AiUsage, RunStatsQuery } from '@deckhand/contracts';
import { sumModelCalls } from '@deckhand/db';
import { queryReader } from '../http/read-request.ts';
import { sendJson } from '../http/respond.ts';
import { forKey, type Route } from '../http/route.ts';
import type { ResourceContext } from '../contexts.ts';
import { readPeriod } from './monitoring.ts';

const readQuery = queryReader(RunStatsQuery);

const MAX_DAYS = 366;

/** GET /api/ai/usage */
export function getAiUsage({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/ai/usage',
    'ai:read',
    {
      summary: 'Get the usage of language models',
      description:
        'Requests of model nodes, those that failed included, and the tokens that the providers counted. A request whose response was lost has no tokens.',
      returns: 'Calls and tokens of the period, in total and by model',
      query: RunStatsQuery,
      responses: { 200: AiUsage },
    },
    async (request, response, caller) => {
      const { workspaceId, from, to } = readPeriod(readQuery(request), MAX_DAYS);
      const sums = await sumModelCalls(db, caller, { workspaceId, from, to });
      sendJson(response, 200, { workspaceId, from: from.toISOString(), to: to.toISOString(), ...sums });
    },
  );
}

import { AiUsage, AiUsageQuery } from '@deckhand/contracts';
import { sumModelCalls } from '@deckhand/db';
import { queryReader } from '../http/read-request.ts';
import { sendJson } from '../http/respond.ts';
import { forKey, type Route } from '../http/route.ts';
import type { ResourceContext } from '../contexts.ts';
import { readPeriod } from './monitoring.ts';

const readQuery = queryReader(AiUsageQuery);

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
        'Requests of model nodes, those that failed included, and the tokens that the providers counted, with their cost. A request whose response was lost has no tokens, and an unknown cost.',
      returns: 'Calls, tokens and costs of the period, in total, by model, by workflow and by day',
      query: AiUsageQuery,
      responses: { 200: AiUsage },
    },
    async (request, response, caller) => {
      const query = readQuery(request);
      const { workspaceId, from, to } = readPeriod(query, MAX_DAYS);
      const { workflowId, executionId } = query;
      const sums = await sumModelCalls(db, caller, { workspaceId, from, to, workflowId, executionId });
      sendJson(response, 200, { workspaceId, from: from.toISOString(), to: to.toISOString(), ...sums });
    },
  );
}

import { ExecutionResult } from '@deckhand/contracts';
import { pathId } from '../../http/query.js';
import { sendJsonText } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /api/executions/{id}/result: of any size, also where a slim answer about the run leaves it out. */
export function readExecutionResult({ executions }: Services): Route {
  return forKey(
    'GET',
    '/api/executions/:id/result',
    { summary: 'Read the result of a run', returns: 'The result, of any size', responses: { 200: ExecutionResult } },
    async (request, response, caller) => {
      const executionId = pathId(request);
      const result = await executions.readResult(caller, executionId);
      sendJsonText(response, 200, `{"executionId":"${executionId}","result":${result}}`);
    },
  );
}

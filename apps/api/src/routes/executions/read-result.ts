import { ExecutionResult } from '@deckhand/contracts';
import { pathId } from '../../http/query.js';
import { sendJsonText } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /api/executions/{id}/result */
export function readExecutionResult({ executions }: Services): Route {
  return forKey(
    'GET',
    '/api/executions/:id/result',
    {
      summary: 'Get the result of a run',
      description: 'Returns results of any size, including those that `slim=true` leaves out.',
      returns: 'The result, of any size',
      responses: { 200: ExecutionResult },
    },
    async (request, response, caller) => {
      const executionId = pathId(request);
      const result = await executions.readResult(caller, executionId);
      sendJsonText(response, 200, `{"executionId":"${executionId}","result":${result}}`);
    },
  );
}

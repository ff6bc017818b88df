import { compileBody, ExecuteBody, ExecuteResponse } from '@deckhand/contracts';
import { pathId } from '../../http/query.js';
import { setRateHeaders } from '../../http/rate-limit.js';
import { readOptionalDataBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import { readIdempotencyKey } from '../../runs/idempotency.js';
import { startRun } from '../../runs/start-run.js';
import { startedAnswer } from '../../runs/started-answer.js';
import type { Services } from '../../services.js';

const parse = compileBody(ExecuteBody);

/** POST /api/workflows/{id}/execute */
export function executeWorkflow(services: Services): Route {
  return forKey(
    'POST',
    '/api/workflows/:id/execute',
    {
      summary: 'Start a run',
      description:
        'Runs the latest version unless `version` selects another. Each call starts a run, unless its `Idempotency-Key` was used in the last 24 hours: then the response names the earlier run.',
      returns: 'The id of the run',
      takesIdempotencyKey: true,
      body: ExecuteBody,
      isBodyOptional: true,
      responses: { 202: ExecuteResponse },
      errors: [
        'NO_ACTIVE_VERSION',
        'INVALID_STATE',
        'CONCURRENCY_LIMIT',
        'workspace_over_quota',
        'workspace_rate_limited',
        'write_circuit_open',
        'QUEUE_UNAVAILABLE',
      ],
    },
    async (request, response, caller) => {
      const workflowId = pathId(request);
      const body = parse(await readOptionalDataBody(request));
      const started = await startRun(services, caller, workflowId, body, (asked) => readIdempotencyKey(request, asked));
      if (started.rate) setRateHeaders(response, started.rate);
      if (started.isRepeated) response.setHeader('Idempotency-Replayed', 'true');
      sendJson(response, 202, startedAnswer(started, services.fleet.counts()));
    },
    { guard: services.breaker.check },
  );
}

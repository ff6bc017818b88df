import { compileBody, ExecuteBody, ExecuteQuery, ExecuteResponse } from '@deckhand/contracts';
import { pathId, queryReader, readIdempotencyKey } from '../../http/read-request.ts';
import { setRateHeaders } from '../../http/rate-limit.ts';
import { readOptionalDataBody } from '../../http/read-body.ts';
import { sendJson } from '../../http/respond.ts';
import { forKey, type Route } from '../../http/route.ts';
import { startRun, startedAnswer } from '../../runs/start-run.ts';
import { STARTS_RUNS } from '../../auth/authenticate.ts';
import type { StartContext } from '../../contexts.ts';

const parse = compileBody(ExecuteBody);
const readQuery = queryReader(ExecuteQuery);

/** POST /api/workflows/{id}/execute */
export function executeWorkflow(context: StartContext): Route {
  return forKey(
    'POST',
    '/api/workflows/:id/execute',
    STARTS_RUNS,
    {
      summary: 'Start a run',
      description:
        'Runs the latest version unless `version` selects another. Each call starts a run, unless its `Idempotency-Key` was used in the last 24 hours: then the response names the earlier run.',
      returns: 'The id of the run',
      takesIdempotencyKey: true,
      query: ExecuteQuery,
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
      readQuery(request);
      const body = parse(await readOptionalDataBody(request));
      const started = await startRun(context, caller, workflowId, body, (asked) => readIdempotencyKey(request, asked));
      if (started.rate) setRateHeaders(response, started.rate);
      if (started.isRepeated) response.setHeader('Idempotency-Replayed', 'true');
      sendJson(response, 202, startedAnswer(started, context.fleet.counts()));
    },
    { guard: context.breaker.check },
  );
}

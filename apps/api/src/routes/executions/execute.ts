import { compileBody, ExecuteBody, ExecuteResponse, serializeOptions } from '@deckhand/contracts';
import { chooseVersion } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { setRateHeaders } from '../../http/rate-limit.js';
import { MAX_DATA_BODY_BYTES, readOptionalBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import { readIdempotencyKey } from '../../runs/idempotency.js';
import { startedAnswer } from '../../runs/started-answer.js';
import type { Services } from '../../services.js';

const parse = compileBody(ExecuteBody);

/** POST /api/workflows/{id}/execute */
export function executeWorkflow({ breaker, runStarter, fleet, noteStart }: Services): Route {
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
        'workspace_over_quota',
        'workspace_rate_limited',
        'write_circuit_open',
        'QUEUE_UNAVAILABLE',
      ],
    },
    async (request, response, caller) => {
      const workflowId = pathId(request);
      const body = parse(await readOptionalBody(request, MAX_DATA_BODY_BYTES));
      const options = serializeOptions(body);
      const asked = {
        triggerNodeId: body.triggerNodeId ?? null,
        mode: body.executionMode ?? 'normal',
        input: body.input ?? {},
        // Without `version` and options, the hash of the body is the same as in earlier releases.
        ...(body.version === undefined ? {} : { version: body.version }),
        ...(options === undefined ? {} : { options }),
      } as const;
      const { executionId, isRepeated, rate } = await runStarter.start(
        {
          triggerNodeId: asked.triggerNodeId,
          mode: asked.mode,
          workflowId,
          actor: { userId: caller.userId, boundTo: caller.boundTo },
          source: caller.kind === 'key' ? 'api' : 'editor',
          triggerData: JSON.stringify(asked.input),
          options,
          ...chooseVersion(body.version ?? 'latest'),
        },
        readIdempotencyKey(request, asked),
      );
      if (caller.kind === 'key') await noteStart(caller, workflowId, executionId);
      if (rate) setRateHeaders(response, rate);
      if (isRepeated) response.setHeader('Idempotency-Replayed', 'true');
      sendJson(response, 202, startedAnswer(executionId, fleet.counts()));
    },
    { guard: breaker.check },
  );
}

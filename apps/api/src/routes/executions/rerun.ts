import { compileBody, ExecuteResponse, RerunBody, serializeOptions } from '@deckhand/contracts';
import { chooseVersion, readForRerun } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { setRateHeaders } from '../../http/rate-limit.js';
import { readOptionalBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import { readIdempotencyKey } from '../../runs/idempotency.js';
import { recordRunChange } from '../../runs/record-run-change.js';
import { startedAnswer } from '../../runs/started-answer.js';
import { checkPart, modeOfPart } from '../../runs/test-run.js';
import type { Services } from '../../services.js';

const parse = compileBody(RerunBody);

/** POST /api/executions/{id}/rerun */
export function rerunExecution(services: Services): Route {
  const { db, breaker, runStarter, fleet } = services;
  return forKey(
    'POST',
    '/api/executions/:id/rerun',
    {
      summary: 'Rerun a run',
      description:
        'Starts a new run with the same trigger data, node and mode, of the latest version unless `version` selects another. With `fromNodeId`, the run starts at that node and reuses the outputs of the nodes before it. With `untilNodeId`, it ends after that node.',
      returns: 'The id of the new run',
      takesIdempotencyKey: true,
      body: RerunBody,
      isBodyOptional: true,
      responses: { 202: ExecuteResponse },
      errors: [
        'NO_ACTIVE_VERSION',
        'INVALID_STATE',
        'CONCURRENCY_LIMIT',
        'EXECUTION_NOT_FINISHED',
        'TRIGGER_DATA_GONE',
        'workspace_over_quota',
        'workspace_rate_limited',
        'write_circuit_open',
        'QUEUE_UNAVAILABLE',
      ],
    },
    async (request, response, caller) => {
      const rerunOf = pathId(request);
      const body = parse(await readOptionalBody(request));
      const { fromNodeId = null, untilNodeId, version = 'latest' } = body;
      const changes = serializeOptions(body);
      const isPart = untilNodeId !== undefined;
      const origin = await readForRerun(db, caller, rerunOf, { fromNodeId, version, mayStartAnywhere: isPart });
      const { workflowId } = origin;
      const chosen = chooseVersion(version, origin.workflowVersionId);
      const startNodeId = fromNodeId ?? origin.triggerNodeId;
      // Without `version`, mode, part and options, the hash of the body is the same as in earlier releases.
      const asked = {
        rerunOf,
        fromNodeId,
        ...(version === 'latest' ? {} : { version }),
        ...(changes === undefined ? {} : { options: changes }),
        ...(isPart ? { untilNodeId } : {}),
        ...(body.executionMode === undefined ? {} : { mode: body.executionMode }),
      };
      const { rate, ...started } = await runStarter.start(
        {
          workflowId,
          actor: { userId: caller.userId, boundTo: caller.boundTo },
          triggerNodeId: origin.triggerNodeId,
          mode: modeOfPart(body.executionMode, origin.executionMode, isPart),
          source: 'rerun',
          triggerData: origin.triggerData,
          rerunOf,
          rerunFromNodeId: fromNodeId ?? undefined,
          untilNodeId,
          options: serializeOptions({ ...origin.options, ...body }),
          ...(isPart
            ? await checkPart(services, caller, { workflowId, version: chosen, startNodeId, untilNodeId })
            : chosen),
        },
        readIdempotencyKey(request, asked),
      );
      if (rate) setRateHeaders(response, rate);
      if (started.isRepeated) response.setHeader('Idempotency-Replayed', 'true');
      else await recordRunChange(services, caller, 'execution.rerun', started.executionId);
      sendJson(response, 202, startedAnswer(started, fleet.counts()));
    },
    { guard: breaker.check },
  );
}

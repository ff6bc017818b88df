import { ExecuteResponse, pageOf, WebhookDelivery } from '@deckhand/contracts';
import { listDeliveries as list, readForReplay } from '@deckhand/db';
import { PageQuery, pathId, readPage, readIdempotencyKey } from '../../http/read-request.ts';
import { setRateHeaders } from '../../http/rate-limit.ts';
import { refuseBody } from '../../http/refuse-body.ts';
import { sendJson } from '../../http/respond.ts';
import { forKey, type Route } from '../../http/route.ts';
import { recordRunChange } from '../../runs/record-run-change.ts';
import { rerunRefused } from '../../runs/start-errors.ts';
import { startedAnswer } from '../../runs/start-run.ts';
import type { StartContext } from '../../contexts.ts';

/** GET /api/workflows/{id}/deliveries */
export function listDeliveries({ db }: StartContext): Route {
  return forKey(
    'GET',
    '/api/workflows/:id/deliveries',
    'workflows:read',
    {
      summary: 'List requests to the webhooks of a workflow',
      description: 'Includes refused requests. The latest 500 of each workflow are stored.',
      returns: 'Requests with their results, the latest first',
      query: PageQuery,
      responses: { 200: pageOf(WebhookDelivery) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, pathId(request), readPage(request)));
    },
  );
}

/** POST /api/workflows/{id}/deliveries/{deliveryId}/replay */
export function replayDelivery(context: StartContext): Route {
  const { db, breaker, runStarter, fleet } = context;
  return forKey(
    'POST',
    '/api/workflows/:id/deliveries/:deliveryId/replay',
    'workflows:write',
    {
      summary: 'Replay a request to a webhook',
      description: 'Starts another run of the active version with the payload of the request.',
      returns: 'The id of the new run',
      takesIdempotencyKey: true,
      responses: { 202: ExecuteResponse },
      errors: [
        'INVALID_STATE',
        'TRIGGER_DATA_GONE',
        'workspace_over_quota',
        'workspace_rate_limited',
        'write_circuit_open',
        'QUEUE_UNAVAILABLE',
      ],
    },
    async (request, response, caller) => {
      const workflowId = pathId(request);
      const deliveryId = pathId(request, 'deliveryId');
      await refuseBody(request);
      const delivery = await readForReplay(db, caller, { workflowId, deliveryId });
      if (delivery.kind === 'refused') throw rerunRefused(delivery);
      const { executionId: rerunOf, nodeId, mode, triggerData } = delivery;
      const { rate, ...started } = await runStarter.start({
        workflowId,
        actor: { userId: caller.userId, boundTo: caller.boundTo },
        triggerNodeId: nodeId,
        mode,
        source: 'rerun',
        triggerData,
        rerunOf,
        isActiveVersion: true,
        idempotencyKey: readIdempotencyKey(request, { deliveryId }),
      });
      if (rate) setRateHeaders(response, rate);
      if (started.isRepeated) response.setHeader('Idempotency-Replayed', 'true');
      else await recordRunChange(context, caller, 'execution.replay', started.executionId);
      sendJson(response, 202, startedAnswer(started, fleet.counts()));
    },
    { guard: breaker.check },
  );
}

import { Callback, CallbackList } from '@deckhand/contracts';
import { listCallbacks as list, replayCallback as replay } from '@deckhand/db';
import { pathId } from '../../http/read-request.ts';
import { refuseBody } from '../../http/refuse-body.ts';
import { sendJson } from '../../http/respond.ts';
import { forKey, type Route } from '../../http/route.ts';
import type { RunContext } from '../../contexts.ts';

/** GET /api/executions/{id}/callbacks */
export function listCallbacks({ db }: RunContext): Route {
  return forKey(
    'GET',
    '/api/executions/:id/callbacks',
    'executions:read',
    {
      summary: 'List the callbacks of a run',
      description:
        'What was sent to the `callbackUrl` of its start, with the attempts, for 30 days. Empty until the run has ended, and without such a URL.',
      returns: 'The callbacks, without their URL',
      responses: { 200: CallbackList },
    },
    async (request, response, caller) => {
      sendJson(response, 200, { data: await list(db, caller, pathId(request)) });
    },
  );
}

/** POST /api/executions/{id}/callbacks/{deliveryId}/replay */
export function replayCallback({ db, answerOnce }: RunContext): Route {
  return forKey(
    'POST',
    '/api/executions/:id/callbacks/:deliveryId/replay',
    'executions:write',
    {
      summary: 'Send a callback again',
      description: 'With the same `webhook-id`, and with new attempts.',
      returns: 'The callback',
      takesIdempotencyKey: true,
      responses: { 202: Callback },
      errors: ['INVALID_STATE'],
    },
    async (request, response, caller) => {
      const place = { executionId: pathId(request), deliveryId: pathId(request, 'deliveryId') };
      await refuseBody(request);
      await answerOnce({ request, response, caller, body: {} }, async (actor) => ({
        status: 202,
        body: await replay(db, actor, place),
      }));
    },
  );
}

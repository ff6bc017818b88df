import { StatusResponse } from '@deckhand/contracts';
import { deleteExecution as remove, redactExecution as redact } from '@deckhand/db';
import { pathId } from '../../http/read-request.ts';
import { refuseBody } from '../../http/refuse-body.ts';
import { sendNothing } from '../../http/respond.ts';
import { forKey, type Route } from '../../http/route.ts';
import type { RunContext } from '../../contexts.ts';

/** DELETE /api/executions/{id} */
export function deleteExecution({ db }: RunContext): Route {
  return forKey(
    'DELETE',
    '/api/executions/:id',
    'executions:write',
    {
      summary: 'Delete a finished run',
      description: 'Deletes the run with all its data.',
      responses: { 204: null },
      errors: ['INVALID_STATE'],
    },
    async (request, response, caller) => {
      await remove(db, caller, pathId(request));
      sendNothing(response);
    },
  );
}

/** POST /api/executions/{id}/redact */
export function redactExecution(context: RunContext): Route {
  return forKey(
    'POST',
    '/api/executions/:id/redact',
    'executions:write',
    {
      summary: 'Redact a run',
      description:
        'Deletes the trigger data, result, outputs and debug data of a finished run. Its status, times and errors stay.',
      returns: 'The id and the status of the run',
      takesIdempotencyKey: true,
      responses: { 200: StatusResponse },
      errors: ['INVALID_STATE'],
    },
    async (request, response, caller) => {
      const executionId = pathId(request);
      await refuseBody(request);
      await context.answerOnce({ request, response, caller, body: null }, async (actor) => ({
        status: 200,
        body: { executionId, status: await redact(context.db, actor, executionId) },
      }));
    },
  );
}

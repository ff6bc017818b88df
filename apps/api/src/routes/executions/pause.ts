import { StatusResponse } from '@deckhand/contracts';
import { pauseExecution as pause, resumeExecution as resume } from '@deckhand/db';
import { pathId } from '../../http/query.ts';
import { refuseBody } from '../../http/refuse-body.ts';
import { forKey, type Route } from '../../http/route.ts';
import { recordRunChange } from '../../runs/record-run-change.ts';
import { notifyWorkers } from '../../runs/notify-workers.ts';
import type { Services } from '../../services.ts';

/** POST /api/executions/{id}/pause */
export function pauseExecution(services: Services): Route {
  return forKey(
    'POST',
    '/api/executions/:id/pause',
    'executions:write',
    {
      summary: 'Pause a run',
      description:
        'Nodes in progress finish, and no further node starts. The unfinished runs that the run has started are paused, too.',
      returns: 'The status paused',
      takesIdempotencyKey: true,
      responses: { 200: StatusResponse },
      errors: ['INVALID_STATE'],
    },
    async (request, response, caller) => {
      const executionId = pathId(request);
      await refuseBody(request);
      await services.answerOnce({ request, response, caller, body: null }, async (actor) => {
        await notifyWorkers(services, 'pause', await pause(services.db, actor, executionId));
        await recordRunChange(services, actor, 'execution.pause', executionId);
        return { status: 200, body: { executionId, status: 'paused' } };
      });
    },
  );
}

/** POST /api/executions/{id}/resume */
export function resumeExecution(services: Services): Route {
  return forKey(
    'POST',
    '/api/executions/:id/resume',
    'executions:write',
    {
      summary: 'Resume a run',
      description: 'The run continues where it was paused, and so do the runs that were paused with it.',
      returns: 'The new status of the run',
      takesIdempotencyKey: true,
      responses: { 200: StatusResponse },
      errors: ['INVALID_STATE'],
    },
    async (request, response, caller) => {
      const executionId = pathId(request);
      await refuseBody(request);
      await services.answerOnce({ request, response, caller, body: null }, async (actor) => {
        const { resumed, dispatched } = await resume(services.db, actor, executionId);
        // If this fails, maintenance finds the runs without jobs.
        await services.queue.add(dispatched).catch((err: unknown) => {
          services.logger.warn({ err, executionId }, 'resumed runs could not be queued yet');
        });
        await notifyWorkers(services, 'resume', resumed);
        await recordRunChange(services, actor, 'execution.resume', executionId);
        return { status: 200, body: { executionId, status: 'running' } };
      });
    },
  );
}

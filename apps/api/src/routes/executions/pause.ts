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
    {
      summary: 'Pause a run',
      description: 'Nodes in progress finish, and no further node starts.',
      returns: 'The status paused',
      takesIdempotencyKey: true,
      responses: { 200: StatusResponse },
      errors: ['INVALID_STATE'],
    },
    async (request, response, caller) => {
      const executionId = pathId(request);
      await refuseBody(request);
      await services.answerOnce({ request, response, caller, body: null }, async (actor) => {
        await pause(services.db, actor, executionId);
        await notifyWorkers(services, 'pause', [executionId]);
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
    {
      summary: 'Resume a run',
      description: 'The run continues where it was paused.',
      returns: 'The new status of the run',
      takesIdempotencyKey: true,
      responses: { 200: StatusResponse },
      errors: ['INVALID_STATE'],
    },
    async (request, response, caller) => {
      const executionId = pathId(request);
      await refuseBody(request);
      await services.answerOnce({ request, response, caller, body: null }, async (actor) => {
        const dispatched = await resume(services.db, actor, executionId);
        if (dispatched) {
          // If this fails, maintenance finds the run without a job.
          await services.queue.add([dispatched]).catch((err: unknown) => {
            services.logger.warn({ err, executionId }, 'a resumed run could not be queued yet');
          });
        }
        await notifyWorkers(services, 'resume', [executionId]);
        await recordRunChange(services, actor, 'execution.resume', executionId);
        return { status: 200, body: { executionId, status: 'running' } };
      });
    },
  );
}

import { StatusResponse } from '@deckhand/contracts';
import { pauseExecution as pause, resumeExecution as resume } from '@deckhand/db';
import { pathId } from '../../http/read-request.ts';
import { refuseBody } from '../../http/refuse-body.ts';
import { forKey, type Route } from '../../http/route.ts';
import { recordRunChange } from '../../runs/record-run-change.ts';
import type { RunContext } from '../../contexts.ts';

/** POST /api/executions/{id}/pause */
export function pauseExecution(context: RunContext): Route {
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
      await context.answerOnce({ request, response, caller, body: null }, async (actor) => {
        await context.notifyWorkers('pause', await pause(context.db, actor, executionId));
        await recordRunChange(context, actor, 'execution.pause', executionId);
        return { status: 200, body: { executionId, status: 'paused' } };
      });
    },
  );
}

/** POST /api/executions/{id}/resume */
export function resumeExecution(context: RunContext): Route {
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
      await context.answerOnce({ request, response, caller, body: null }, async (actor) => {
        const { resumed, dispatched } = await resume(context.db, actor, executionId);
        // If this fails, maintenance finds the runs without jobs.
        await context.queue.add(dispatched).catch((err: unknown) => {
          context.logger.warn({ err, executionId }, 'failed to queue resumed runs, retrying');
        });
        await context.notifyWorkers('resume', resumed);
        await recordRunChange(context, actor, 'execution.resume', executionId);
        return { status: 200, body: { executionId, status: 'running' } };
      });
    },
  );
}

import { StatusAnswer } from '@deckhand/contracts';
import { pauseExecution as pause, resumeExecution as resume } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { refuseBody } from '../../http/refuse-body.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import { recordRunChange } from '../../runs/record-run-change.js';
import { tellWorkers } from '../../runs/tell-workers.js';
import type { Services } from '../../services.js';

/** POST /api/executions/{id}/pause: nodes in flight finish, nothing further starts. */
export function pauseExecution(services: Services): Route {
  return forKey(
    'POST',
    '/api/executions/:id/pause',
    { summary: 'Pause a run', answers: { 200: StatusAnswer }, errors: ['INVALID_STATE'] },
    async (request, response, caller) => {
      const executionId = pathId(request);
      await refuseBody(request);
      await pause(services.db, caller, executionId);
      await tellWorkers(services, 'pause', [executionId]);
      await recordRunChange(services, caller, 'execution.pause', executionId);
      sendJson(response, 200, { executionId, status: 'paused' });
    },
  );
}

/** POST /api/executions/{id}/resume: what a person paused goes on where it stood. */
export function resumeExecution(services: Services): Route {
  return forKey(
    'POST',
    '/api/executions/:id/resume',
    { summary: 'Resume a run that a person paused', answers: { 200: StatusAnswer }, errors: ['INVALID_STATE'] },
    async (request, response, caller) => {
      const executionId = pathId(request);
      await refuseBody(request);
      const dispatched = await resume(services.db, caller, executionId);
      if (dispatched) {
        // Should this fail, maintenance finds the run without a job.
        await services.queue.add([dispatched]).catch((err: unknown) => {
          services.logger.warn({ err, executionId }, 'a resumed run could not be queued yet');
        });
      }
      await tellWorkers(services, 'resume', [executionId]);
      await recordRunChange(services, caller, 'execution.resume', executionId);
      sendJson(response, 200, { executionId, status: 'running' });
    },
  );
}

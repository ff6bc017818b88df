import { StatusAnswer } from '@deckhand/contracts';
import { stopExecution as stop } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { refuseBody } from '../../http/refuse-body.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import { recordRunChange } from '../../runs/record-run-change.js';
import { tellWorkers } from '../../runs/tell-workers.js';
import type { Services } from '../../services.js';

/** POST /api/executions/{id}/stop: once this is answered no node of the run starts and no later write changes it. */
export function stopExecution(services: Services): Route {
  return forKey(
    'POST',
    '/api/executions/:id/stop',
    { summary: 'Stop a run', answers: { 200: StatusAnswer }, errors: ['INVALID_STATE'] },
    async (request, response, caller) => {
      const executionId = pathId(request);
      await refuseBody(request);
      await tellWorkers(services, 'stop', await stop(services.db, caller, executionId));
      await recordRunChange(services, caller, 'execution.stop', executionId);
      sendJson(response, 200, { executionId, status: 'stopped' });
    },
  );
}

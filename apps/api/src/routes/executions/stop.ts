import { StatusAnswer } from '@deckhand/contracts';
import { stopDescendants, stopExecution as stop } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { refuseBody } from '../../http/refuse-body.js';
import { sendJson } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import { recordRunChange } from '../../runs/record-run-change.js';
import { tellWorkers } from '../../runs/tell-workers.js';
import type { Services } from '../../services.js';

/** How long the caller waits for the runs that the run has started to be stopped, in ms; maintenance stops the rest. */
const DESCENDANTS_MS = 2_000;

/** POST /api/executions/{id}/stop: once this is answered no node of the run starts and no later write changes it. */
export function stopExecution(services: Services): Route {
  return forKey(
    'POST',
    '/api/executions/:id/stop',
    { summary: 'Stop a run', answers: { 200: StatusAnswer }, errors: ['INVALID_STATE'] },
    async (request, response, caller) => {
      const executionId = pathId(request);
      await refuseBody(request);
      await stop(services.db, caller, executionId);
      const onStopped = (stopped: readonly string[]): Promise<void> => tellWorkers(services, 'stop', stopped);
      await onStopped([executionId]);
      const until = performance.now() + DESCENDANTS_MS;
      await stopDescendants(services.db, { of: [executionId], until, onStopped }).catch((err: unknown) => {
        services.logger.warn({ err, executionId }, 'runs that a stopped run had started are left to maintenance');
      });
      await recordRunChange(services, caller, 'execution.stop', executionId);
      sendJson(response, 200, { executionId, status: 'stopped' });
    },
  );
}

import { StatusResponse } from '@deckhand/contracts';
import { stopDescendants, stopExecution as stop } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { refuseBody } from '../../http/refuse-body.js';
import { forKey, type Route } from '../../http/route.js';
import { recordRunChange } from '../../runs/record-run-change.js';
import { notifyWorkers } from '../../runs/notify-workers.js';
import type { Services } from '../../services.js';

/** How long the caller waits until the runs that the run has started are stopped, in ms; maintenance stops the rest. */
const DESCENDANTS_MS = 2_000;

/** POST /api/executions/{id}/stop */
export function stopExecution(services: Services): Route {
  return forKey(
    'POST',
    '/api/executions/:id/stop',
    {
      summary: 'Stop a run',
      description:
        'Once the response is sent, no node of the run starts and no later write changes it. The runs that it started are stopped too.',
      returns: 'The status stopped',
      takesIdempotencyKey: true,
      responses: { 200: StatusResponse },
      errors: ['INVALID_STATE'],
    },
    async (request, response, caller) => {
      const executionId = pathId(request);
      await refuseBody(request);
      await services.answerOnce({ request, response, caller, body: null }, async (actor) => {
        await stop(services.db, actor, executionId);
        const onStopped = (stopped: readonly string[]): Promise<void> => notifyWorkers(services, 'stop', stopped);
        await onStopped([executionId]);
        const until = performance.now() + DESCENDANTS_MS;
        await stopDescendants(services.db, { of: [executionId], until, onStopped }).catch((err: unknown) => {
          services.logger.warn({ err, executionId }, 'runs that a stopped run had started are left to maintenance');
        });
        await recordRunChange(services, actor, 'execution.stop', executionId);
        return { status: 200, body: { executionId, status: 'stopped' } };
      });
    },
  );
}

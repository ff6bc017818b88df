import { compileBody, StopManyAnswer, StopManyBody, validationFailed } from '@deckhand/contracts';
import { recordChange, requireRole, stopExecutions as stop } from '@deckhand/db';
import { readBody } from '../../http/read-body.js';
import { forKey, type Route } from '../../http/route.js';
import { tellWorkers } from '../../runs/tell-workers.js';
import type { Services } from '../../services.js';

const parse = compileBody(StopManyBody);

/** POST /api/executions/stop: every unfinished run of a workspace that fits; all of them only if `all` says so. */
export function stopExecutions(services: Services): Route {
  return forKey(
    'POST',
    '/api/executions/stop',
    { summary: 'Stop many runs', takesIdempotencyKey: true, body: StopManyBody, answers: { 200: StopManyAnswer } },
    async (request, response, caller) => {
      const body = parse(await readBody(request));
      await requireRole(services.db, caller, body.workspaceId, 'editor');
      if (body.all !== true && !hasFilter(body)) {
        throw validationFailed([{ path: 'all', message: 'must be true to stop every run, unless a filter is given' }]);
      }
      await services.answerOnce({ request, response, caller, body }, async (actor) => {
        const stopped = await stop(services.db, actor, body, (executionIds) =>
          tellWorkers(services, 'stop', executionIds),
        );
        await recordChange(services.db, actor, {
          action: 'execution.stopMany',
          workspaceId: body.workspaceId,
          resourceId: body.workflowId ?? '',
          details: { stopped },
        }).catch((err: unknown) => services.logger.error({ err }, 'a change could not be put on record'));
        return { status: 200, body: { stopped } };
      });
    },
  );
}

function hasFilter({ status, workflowId, startedAt }: ReturnType<typeof parse>): boolean {
  return status !== undefined || workflowId !== undefined || Object.keys(startedAt ?? {}).length > 0;
}

import {
  compileBody,
  type ExecutionFilter,
  StopManyResponse,
  StopManyBody,
  validationFailed,
} from '@deckhand/contracts';
import { isSearch, recordChange, requireRole, stopExecutions as stop } from '@deckhand/db';
import { readBody } from '../../http/read-body.js';
import { forKey, type Route } from '../../http/route.js';
import { notifyWorkers } from '../../runs/notify-workers.js';
import type { Services } from '../../services.js';

const parse = compileBody(StopManyBody);

/** POST /api/executions/stop */
export function stopExecutions(services: Services): Route {
  return forKey(
    'POST',
    '/api/executions/stop',
    {
      summary: 'Stop many runs',
      description:
        'Stops every unfinished run of the workspace that matches the filters. Without a filter, `all: true` is required.',
      returns: 'The number of stopped runs',
      takesIdempotencyKey: true,
      body: StopManyBody,
      responses: { 200: StopManyResponse },
      errors: ['RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const body = parse(await readBody(request));
      await requireRole(services.db, caller, body.workspaceId, 'editor');
      const filter = toFilter(body);
      if (body.all !== true && !hasFilter(filter)) {
        throw validationFailed([{ path: 'all', message: 'must be true to stop every run, unless a filter is given' }]);
      }
      await services.answerOnce({ request, response, caller, body }, async (actor) => {
        const stopAll = (): Promise<number> =>
          stop(services.db, actor, filter, (executionIds) => notifyWorkers(services, 'stop', executionIds));
        const stopped = await (isSearch(filter)
          ? services.shares.within(filter.workspaceId, 'searches', stopAll)
          : stopAll());
        await recordChange(services.db, actor, {
          action: 'execution.stopMany',
          workspaceId: body.workspaceId,
          resourceId: body.workflowId ?? '',
          details: { stopped },
        }).catch((err: unknown) => services.logger.error({ err }, 'audit record of a change could not be written'));
        return { status: 200, body: { stopped } };
      });
    },
  );
}

function toFilter({ all: _, status, executionMode, source, ...filter }: StopManyBody): ExecutionFilter {
  return {
    ...filter,
    ...(status !== undefined && { status: [status].flat() }),
    ...(executionMode !== undefined && { executionMode: [executionMode].flat() }),
    ...(source !== undefined && { source: [source].flat() }),
  };
}

function hasFilter({ workspaceId: _, startedAt = {}, ...filter }: ExecutionFilter): boolean {
  return Object.keys(filter).length > 0 || Object.keys(startedAt).length > 0;
}

import {
  checkDuration,
  compileBody,
  type ExecutionFilter,
  StatusResponse,
  StopManyBody,
  StopManyResponse,
  validationFailed,
} from '@deckhand/contracts';
import { isSearch, recordChange, requirePermission, stopExecutions as stopRuns } from '@deckhand/db';
import { pathId } from '../../http/read-request.ts';
import { readBody } from '../../http/read-body.ts';
import { refuseBody } from '../../http/refuse-body.ts';
import { forKey, type Route } from '../../http/route.ts';
import { stopRun } from '../../runs/stop-run.ts';
import type { RunContext } from '../../contexts.ts';

/** POST /api/executions/{id}/stop */
export function stopExecution(context: RunContext): Route {
  return forKey(
    'POST',
    '/api/executions/:id/stop',
    'executions:write',
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
      await context.answerOnce({ request, response, caller, body: null }, async (actor) => {
        await stopRun(context, actor, executionId);
        return { status: 200, body: { executionId, status: 'stopped' } };
      });
    },
  );
}

const parse = compileBody(StopManyBody);

/** POST /api/executions/stop */
export function stopExecutions(context: RunContext): Route {
  return forKey(
    'POST',
    '/api/executions/stop',
    'executions:write',
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
      await requirePermission(context.db, caller, body.workspaceId, 'runs.control');
      const filter = toFilter(body);
      checkDuration(filter);
      if (body.all !== true && !hasFilter(filter)) {
        throw validationFailed([{ path: 'all', message: 'must be true to stop every run, unless a filter is given' }]);
      }
      await context.answerOnce({ request, response, caller, body }, async (actor) => {
        const stopAll = (): Promise<number> =>
          stopRuns(context.db, actor, filter, (executionIds) => context.notifyWorkers('stop', executionIds));
        const stopped = await (isSearch(filter)
          ? context.shares.within(filter.workspaceId, 'searches', stopAll)
          : stopAll());
        await recordChange(context.db, actor, {
          action: 'execution.stopMany',
          workspaceId: body.workspaceId,
          resourceId: body.workflowId ?? '',
          details: { stopped },
        }).catch((err: unknown) => context.logger.error({ err }, 'failed to write an audit record'));
        return { status: 200, body: { stopped } };
      });
    },
  );
}

function toFilter({ all: _, status, executionMode, source, tag, ...filter }: StopManyBody): ExecutionFilter {
  return {
    ...filter,
    ...(status !== undefined && { status: [status].flat() }),
    ...(executionMode !== undefined && { executionMode: [executionMode].flat() }),
    ...(source !== undefined && { source: [source].flat() }),
    ...(tag !== undefined && { tag: [tag].flat() }),
  };
}

function hasFilter({ workspaceId: _, startedAt = {}, ...filter }: ExecutionFilter): boolean {
  return Object.keys(filter).length > 0 || Object.keys(startedAt).length > 0;
}

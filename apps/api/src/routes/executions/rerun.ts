import { compileBody, ExecuteResponse, RerunBody, serializeOptions, validationFailed } from '@deckhand/contracts';
import {
  chooseVersion,
  type Database,
  readForRerun,
  readNodesWithFailedIterations,
  type RerunOrigin,
} from '@deckhand/db';
import { STARTS_RUNS, requireScope } from '../../auth/authenticate.ts';
import { pathId, readIdempotencyKey } from '../../http/read-request.ts';
import { setRateHeaders } from '../../http/rate-limit.ts';
import { readOptionalBody } from '../../http/read-body.ts';
import { sendJson } from '../../http/respond.ts';
import { forKey, type Route } from '../../http/route.ts';
import { recordRunChange } from '../../runs/record-run-change.ts';
import { rerunRefused } from '../../runs/start-errors.ts';
import { startedAnswer } from '../../runs/start-run.ts';
import { modeOfTest, startTested } from '../../runs/test-run.ts';
import type { StartContext } from '../../contexts.ts';

const parse = compileBody(RerunBody);

/** POST /api/executions/{id}/rerun */
export function rerunExecution(context: StartContext): Route {
  const { db, breaker, fleet } = context;
  return forKey(
    'POST',
    '/api/executions/:id/rerun',
    'executions:write',
    {
      summary: 'Rerun a run',
      description:
        'Starts a new run with the same trigger data, node and mode, of the latest version unless `version` selects another. With `fromNodeId`, the run starts at that node and reuses the outputs of the nodes before it; with `iterations: "failed"`, also those of the iterations in which it did not fail. The outputs of a run in sandbox mode are reused in sandbox mode only. With `untilNodeId`, it ends after that node. With `mocks`, a key also needs what starting runs of the workflow needs.',
      returns: 'The id of the new run',
      takesIdempotencyKey: true,
      body: RerunBody,
      isBodyOptional: true,
      responses: { 202: ExecuteResponse },
      errors: [
        'NO_ACTIVE_VERSION',
        'INVALID_STATE',
        'CONCURRENCY_LIMIT',
        'EXECUTION_NOT_FINISHED',
        'NODE_NOT_REACHED',
        'TRIGGER_DATA_GONE',
        'workspace_over_quota',
        'workspace_rate_limited',
        'write_circuit_open',
        'QUEUE_UNAVAILABLE',
      ],
    },
    async (request, response, caller) => {
      const rerunOf = pathId(request);
      const body = parse(await readOptionalBody(request));
      const { untilNodeId, mocks, version = 'latest', iterations = 'all' } = body;
      const changes = serializeOptions(body);
      const readOrigin = async (from: string | null): Promise<RerunOrigin> => {
        const mayStartAnywhere = untilNodeId !== undefined;
        const choice = { fromNodeId: from, version, mayStartAnywhere, mode: body.executionMode };
        const read = await readForRerun(db, caller, rerunOf, choice);
        if (read.kind === 'refused') throw rerunRefused(read);
        return read;
      };
      const given = await readOrigin(body.fromNodeId ?? null);
      const fromNodeId = iterations === 'failed' ? await failedNodeOf(db, rerunOf, body) : (body.fromNodeId ?? null);
      const origin = fromNodeId === (body.fromNodeId ?? null) ? given : await readOrigin(fromNodeId);
      const { workflowId } = origin;
      // Mocks are data that the caller gives, as for `execute`.
      if (mocks !== undefined && caller.kind === 'key') requireScope(caller, STARTS_RUNS, workflowId);
      // Without `version`, mode, part and options, the hash of the body is the same as in earlier releases.
      const asked = {
        rerunOf,
        fromNodeId,
        ...(version === 'latest' ? {} : { version }),
        ...(changes === undefined ? {} : { options: changes }),
        ...(iterations === 'all' ? {} : { iterations }),
        ...(untilNodeId === undefined ? {} : { untilNodeId }),
        ...(mocks === undefined ? {} : { mocks }),
        ...(body.executionMode === undefined ? {} : { mode: body.executionMode }),
      };
      const { triggerNodeId, workflowVersionId: sourceVersionId } = origin;
      const isWhole = fromNodeId !== null && untilNodeId === undefined;
      const rerun = isWhole ? { rerunOf, fromNodeId, triggerNodeId, sourceVersionId } : undefined;
      const { rate, ...started } = await startTested(
        context,
        caller,
        {
          workflowId,
          actor: { userId: caller.userId, boundTo: caller.boundTo },
          triggerNodeId,
          mode: modeOfTest(body.executionMode, origin.executionMode, body),
          source: 'rerun',
          triggerData: origin.triggerData,
          rerunOf,
          rerunFromNodeId: fromNodeId ?? undefined,
          rerunIterations: iterations === 'failed' ? iterations : undefined,
          untilNodeId,
          mocks: mocks && JSON.stringify(mocks),
          options: serializeOptions({ ...origin.options, ...body }),
          ...chooseVersion(version, sourceVersionId),
          idempotencyKey: readIdempotencyKey(request, asked),
        },
        { mocks, rerun },
      );
      if (rate) setRateHeaders(response, rate);
      if (started.isRepeated) response.setHeader('Idempotency-Replayed', 'true');
      else await recordRunChange(context, caller, 'execution.rerun', started.executionId);
      sendJson(response, 202, startedAnswer(started, fleet.counts()));
    },
    { guard: breaker.check },
  );
}

/**
 * Returns the node whose failed iterations are rerun.
 * @throws DeckhandError VALIDATION_FAILED if it failed in no iteration; without `fromNodeId`, if several nodes did.
 */
async function failedNodeOf(db: Database, executionId: string, { fromNodeId }: RerunBody): Promise<string> {
  const failed = await readNodesWithFailedIterations(db, executionId);
  const [only, ...others] = fromNodeId === undefined ? failed : failed.filter((nodeId) => nodeId === fromNodeId);
  if (only === undefined) {
    const message = fromNodeId === undefined ? 'no node of the run failed' : `"${fromNodeId}" did not fail`;
    throw validationFailed([{ path: 'iterations', message: `cannot be failed: ${message} in an iteration of a loop` }]);
  }
  if (others.length === 0) return only;
  const message = `is needed: several nodes failed in iterations of loops (${failed.join(', ')})`;
  throw validationFailed([{ path: 'fromNodeId', message }]);
}

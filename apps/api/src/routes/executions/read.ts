import { Execution, isFinished, ReadExecutionQuery } from '@deckhand/contracts';
import type { ExecutionState } from '@deckhand/db';
import type { NeededScope } from '../../auth/authenticate.ts';
import { whileAllowed } from '../../auth/while-allowed.ts';
import { clientGone } from '../../http/client-gone.ts';
import { hasSeen } from '../../http/etag.ts';
import { pathId, queryReader } from '../../http/read-request.ts';
import { sendJsonText } from '../../http/respond.ts';
import { forKey, type Route } from '../../http/route.ts';
import { isSettled, waitForRun } from '../../runs/wait-for-run.ts';
import type { RunContext } from '../../contexts.ts';

const READ_RUNS: NeededScope = { scope: 'executions:read' };

const readQuery = queryReader(ReadExecutionQuery);

/** GET /api/executions/{id} */
export function getExecution(context: RunContext): Route {
  const { executions, authenticate } = context;
  return forKey(
    'GET',
    '/api/executions/:id',
    'executions:read',
    {
      summary: 'Get a run',
      description:
        'Returns the run with its progress, node by node. With `wait`, the response is held until the run is finished or waits for a person; with `If-None-Match`, until the run has changed.',
      returns: 'The run with its progress, node by node',
      query: ReadExecutionQuery,
      headers: { 'If-None-Match': 'The ETag of an earlier answer: 304 while it still holds' },
      responses: { 200: Execution, 304: null },
      errors: ['RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const { slim, wait } = readQuery(request);
      const executionId = pathId(request);
      let reader = caller;
      const tagOf = ({ revision }: ExecutionState): string => `W/"${revision}${slim ? '-slim' : ''}"`;
      const before = wait > 0 ? await executions.state(caller, executionId) : undefined;
      // A caller with `If-None-Match` waits for another state; others wait for the end, or until the run waits for a
      // person.
      const isConditional = request.headers['if-none-match'] !== undefined;
      const isEnough = ({ status, revision }: ExecutionState): boolean =>
        isConditional ? isFinished(status) || revision !== before?.revision : isSettled(status);
      const isNews = before !== undefined && isConditional && !hasSeen(request, tagOf(before));
      if (before !== undefined && !isNews && !isEnough(before)) {
        const gone = clientGone(response);
        const check = () => authenticate.caller(request, READ_RUNS);
        await whileAllowed({ check, signal: gone }, (signal) =>
          waitForRun(context, executionId, before, isEnough, { timeoutMs: wait * 1_000, signal }),
        );
        if (gone.aborted) return;
        // The caller's access may have changed since the last check.
        reader = await check();
      }
      response.setHeader('Cache-Control', 'private, no-cache');
      if (isConditional) {
        const etag = tagOf(await executions.state(reader, executionId));
        if (hasSeen(request, etag)) {
          response.writeHead(304, { ETag: etag }).end();
          return;
        }
      }
      const view = await executions.read(reader, executionId, { isSlim: slim });
      response.setHeader('ETag', tagOf(view));
      sendJsonText(response, 200, view.json);
    },
  );
}

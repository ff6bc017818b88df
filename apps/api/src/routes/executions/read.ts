import { isFinished, Execution, ReadExecutionQuery } from '@deckhand/contracts';
import type { ExecutionState } from '@deckhand/db';
import type { NeededScope } from '../../auth/access-rule.js';
import { clientGone } from '../../http/client-gone.js';
import { hasSeen } from '../../http/etag.js';
import { pathId, queryReader } from '../../http/query.js';
import { sendJsonText } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const READ_RUNS: NeededScope = { scope: 'executions:read' };

const readQuery = queryReader(ReadExecutionQuery);

/**
 * GET /api/executions/{id}: the run with its progress node by node. The answer has an `ETag`, and a caller who sends it
 * back as `If-None-Match` gets a 304 until the run has changed.
 */
export function readExecution({ executions, follower, shares, authenticate }: Services): Route {
  return forKey(
    'GET',
    '/api/executions/:id',
    {
      summary: 'Read a run',
      query: ReadExecutionQuery,
      headers: { 'If-None-Match': 'The ETag of an earlier answer: 304 while it still holds' },
      answers: { 200: Execution, 304: null },
      errors: ['RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const { slim, wait } = readQuery(request);
      const executionId = pathId(request);
      let reader = caller;
      const before = wait > 0 ? await executions.state(caller, executionId) : undefined;
      if (before !== undefined && !isSettled(before)) {
        const signal = clientGone(response);
        await shares.within(before.workspaceId, 'waits for runs', () =>
          follower.waitFor(executionId, isSettled, { timeoutMs: wait * 1_000, signal }),
        );
        if (signal.aborted) return;
        // What the caller may see can have changed while it waited.
        reader = await authenticate.caller(request, READ_RUNS);
      }
      const tagOf = ({ revision }: ExecutionState): string => `W/"${revision}${slim ? '-slim' : ''}"`;
      response.setHeader('Cache-Control', 'private, no-cache');
      if (request.headers['if-none-match'] !== undefined) {
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

/** Whether there is nothing more to wait for: the run is finished, or it is a person's turn. */
function isSettled({ status }: ExecutionState): boolean {
  return isFinished(status) || status === 'waiting_for_input' || status === 'waiting_for_human';
}

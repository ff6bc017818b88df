import { Execution, isFinished } from '@deckhand/contracts';
import type { Request, Response } from 'express';
import type { NeededScope } from '../../auth/access-rule.js';
import type { Caller } from '../../auth/caller.js';
import { openEventStream } from '../../http/event-stream.js';
import { pathId } from '../../http/query.js';
import { sendNothing } from '../../http/respond.js';
import { forKey, type Route } from '../../http/route.js';
import type { ExecutionView } from '../../runs/execution-reader.js';
import type { IsEnough, RunWatch } from '../../runs/follow-runs.js';
import type { Services } from '../../services.js';

const READ_RUNS: NeededScope = { scope: 'executions:read' };

/** Changes within this time become one event, in ms. */
const GAP_MS = 200;
/** How often it is checked that the caller may still see the run, in ms. */
const RECHECK_MS = 3_000;

/**
 * GET /api/executions/{id}/events: the run as Server-Sent Events (WHATWG HTML, 9.2), `execution` with the run without
 * its outputs, at once and after every change, until it is finished. Changes that follow each other quickly, or that
 * the caller is too slow for, become one event.
 */
export function followExecution({ executions, follower, shares, authenticate }: Services): Route {
  async function tellChanges(
    executionId: string,
    watched: RunWatch,
    { request, response, caller }: { request: Request; response: Response; caller: Caller },
  ): Promise<void> {
    const look = (): Promise<ExecutionView> => executions.read(caller, executionId, { isSlim: true });
    // The run as text is let go of once it is sent: thousands may follow large runs.
    let { json, ...sent } = await look();
    if (isFinished(sent.status) && request.headers['last-event-id'] === String(sent.revision)) {
      // Whoever has seen the end is told not to come back.
      sendNothing(response);
      return;
    }
    // Whose key was revoked meanwhile gets nothing more, whatever was read.
    const lookAgain = async (): Promise<ExecutionView> => {
      const [view] = await Promise.all([look(), authenticate.caller(request, READ_RUNS)]);
      return view;
    };
    await shares.within(sent.workspaceId, 'event streams', async () => {
      const stream = openEventStream(response);
      await stream.send('execution', json, String(sent.revision));
      json = '';
      const wait = (isEnough: IsEnough, timeoutMs: number): Promise<boolean> =>
        watched.until(isEnough, { timeoutMs, signal: stream.gone });
      const isOver = (): boolean => isFinished(sent.status) || stream.gone.aborted || follower.isDraining();
      while (!isOver()) {
        // The end is told at once, whatever came just before it.
        const isAtEnd = await wait(({ status }) => isFinished(status), GAP_MS);
        if (!isAtEnd) await wait(({ revision }) => revision !== sent.revision, RECHECK_MS);
        if (isOver()) break;
        const { json: latest, ...view } = await lookAgain();
        if (view.revision !== sent.revision) await stream.send('execution', latest, String(view.revision));
        sent = view;
      }
      stream.end();
    });
  }

  return forKey(
    'GET',
    '/api/executions/:id/events',
    {
      summary: 'Follow a run: Server-Sent Events',
      returns:
        'A stream of events named execution: the run without outputs, at once and after each change, until it is finished',
      answers: { 200: 'text/event-stream', 204: null },
      events: { execution: Execution },
      errors: ['RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const executionId = pathId(request);
      // Begun before the first reading: what changes after that is told.
      const watched = follower.watch(executionId, { isLive: true, isNew: true });
      try {
        await tellChanges(executionId, watched, { request, response, caller });
      } finally {
        watched.close();
      }
    },
  );
}

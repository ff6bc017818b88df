import { Execution, isFinished } from '@deckhand/contracts';
import type { Request, Response } from 'express';
import type { NeededScope } from '../../auth/authenticate.ts';
import type { Caller } from '../../auth/caller.ts';
import { whileAllowed } from '../../auth/while-allowed.ts';
import { openEventStream } from '../../http/event-stream.ts';
import { pathId } from '../../http/read-request.ts';
import { sendNothing } from '../../http/respond.ts';
import { forKey, type Route } from '../../http/route.ts';
import type { ExecutionView } from '../../runs/execution-reader.ts';
import type { IsEnough, RunSubscription } from '../../runs/follow-runs.ts';
import type { RunContext } from '../../contexts.ts';

const READ_RUNS: NeededScope = { scope: 'executions:read' };

/** Changes within this time are sent as one event, in ms. */
const MIN_INTERVAL_MS = 200;
/** How often the run is read although no change was reported, in ms: the caller may see it no more. */
const READ_INTERVAL_MS = 3_000;

/** GET /api/executions/{id}/events */
export function followExecution({ executions, follower, shares, authenticate }: RunContext): Route {
  async function streamChanges(
    executionId: string,
    subscription: RunSubscription,
    { request, response, caller }: { request: Request; response: Response; caller: Caller },
  ): Promise<void> {
    const read = (): Promise<ExecutionView> => executions.read(caller, executionId, { isSlim: true });
    // The JSON text is released once it is sent: thousands of callers may follow large runs.
    let { json, ...sent } = await read();
    if (isFinished(sent.status) && request.headers['last-event-id'] === String(sent.revision)) {
      // The caller has received the end: a 204 stops an EventSource from reconnecting.
      sendNothing(response);
      return;
    }
    // A caller whose key was revoked in the meantime gets nothing more.
    const readWithAccessCheck = async (): Promise<ExecutionView> => {
      const [view] = await Promise.all([read(), authenticate.caller(request, READ_RUNS)]);
      return view;
    };
    await shares.within(sent.workspaceId, 'event streams', async () => {
      const stream = openEventStream(response);
      await stream.send('execution', json, String(sent.revision));
      json = '';
      const check = () => authenticate.caller(request, READ_RUNS);
      await whileAllowed({ check, signal: stream.gone }, async (signal) => {
        const wait = (isEnough: IsEnough, timeoutMs: number): Promise<boolean> =>
          subscription.until(isEnough, { timeoutMs, signal });
        const isOver = (): boolean => isFinished(sent.status) || signal.aborted || follower.isDraining();
        while (!isOver()) {
          // The end is sent at once, even right after another change.
          const isAtEnd = await wait(({ status }) => isFinished(status), MIN_INTERVAL_MS);
          if (!isAtEnd) await wait(({ revision }) => revision !== sent.revision, READ_INTERVAL_MS);
          if (isOver()) break;
          const { json: latest, ...view } = await readWithAccessCheck();
          if (view.revision !== sent.revision) await stream.send('execution', latest, String(view.revision));
          sent = view;
        }
      });
      stream.end();
    });
  }

  return forKey(
    'GET',
    '/api/executions/:id/events',
    'executions:read',
    {
      summary: 'Follow a run by Server-Sent Events',
      description:
        'Sends the run without outputs at once and after every change, until it is finished. Changes in quick succession are sent as one event.',
      returns:
        'A stream of events named execution: the run without outputs, at once and after each change, until it is finished',
      responses: { 200: 'text/event-stream', 204: null },
      events: { execution: Execution },
      errors: ['RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const executionId = pathId(request);
      // Subscribes before the first read, so that no change after it is missed.
      const subscription = follower.subscribe(executionId, { isLive: true, isNew: true });
      try {
        await streamChanges(executionId, subscription, { request, response, caller });
      } finally {
        subscription.close();
      }
    },
  );
}

import {
  compileBody,
  DeckhandError,
  type ErrorCode,
  ExecuteBatchBody,
  ExecuteBatchItem,
  ExecuteBatchResponse,
  ExecuteQuery,
  MAX_BATCH_ITEMS,
} from '@deckhand/contracts';
import { nextSlice } from '@deckhand/runtime';
import { toDeckhandError } from '../../http/errors.ts';
import { pathId, queryReader, readKeyHeader, toIdempotencyKey } from '../../http/read-request.ts';
import { type CountedRate, setRateHeaders } from '../../http/rate-limit.ts';
import { MAX_DATA_BODY_BYTES, readListBody } from '../../http/read-body.ts';
import { sendJson } from '../../http/respond.ts';
import { forKey, type Route } from '../../http/route.ts';
import type { StartedRun } from '../../runs/run-starter.ts';
import { toStartRequest, startedMessage, workersAnswer } from '../../runs/start-run.ts';
import { STARTS_RUNS } from '../../auth/authenticate.ts';
import type { StartContext } from '../../contexts.ts';

const parseItem = compileBody(ExecuteBatchItem);
const readQuery = queryReader(ExecuteQuery);

/** Items that are checked before others get to run. */
const ITEMS_PER_SLICE = 50;

/** How an item ended. */
type Outcome = StartedRun | DeckhandError;

/** POST /api/workflows/{id}/execute/batch */
export function executeWorkflowBatch(context: StartContext): Route {
  const { breaker, runStarter, fleet, noteStart, prepareCallbacks, logger } = context;
  return forKey(
    'POST',
    '/api/workflows/:id/execute/batch',
    STARTS_RUNS,
    {
      summary: 'Start many runs',
      description:
        'Starts a run for each item, as if each were a request of its own: an item that is refused concerns no other. Repeat a batch whose response was lost: items with the same idempotency keys start no second run.',
      returns: 'A result for each item, in their order',
      takesIdempotencyKey: true,
      query: ExecuteQuery,
      body: ExecuteBatchBody,
      responses: { 200: ExecuteBatchResponse },
      errors: ['write_circuit_open'],
    },
    async (request, response, caller) => {
      const workflowId = pathId(request);
      readQuery(request);
      const batchKey = readKeyHeader(request);
      const { items, check } = await readListBody(request, {
        maxItems: MAX_BATCH_ITEMS,
        maxBytes: MAX_DATA_BODY_BYTES,
      });

      let preparing: Promise<void> | undefined;
      async function start(given: unknown, position: number): Promise<Outcome> {
        try {
          check(given);
          const { idempotencyKey, ...body } = parseItem(given);
          const { request: run, asked } = toStartRequest(caller, workflowId, body);
          if (body.callbackUrl !== undefined) await (preparing ??= prepareCallbacks(caller, workflowId));
          // Keys of items have no more than 255 characters, and no space.
          const key = idempotencyKey ?? (batchKey && `${batchKey} item ${position}`);
          return await runStarter.start({
            ...run,
            idempotencyKey: key === undefined ? key : toIdempotencyKey(key, asked),
          });
        } catch (error) {
          const known = toDeckhandError(error);
          if (known.code === 'INTERNAL') logger.error({ err: error, requestId: request.id, position }, 'item failed');
          return known;
        }
      }

      const starts: Promise<Outcome>[] = [];
      for (const [position, item] of items.entries()) {
        if (position % ITEMS_PER_SLICE === ITEMS_PER_SLICE - 1) await nextSlice();
        starts.push(start(item, position));
      }
      const outcomes = await Promise.all(starts);

      const runs = outcomes.flatMap((outcome) => (outcome instanceof DeckhandError ? [] : [outcome]));
      const [first] = runs;
      const refusals = outcomes.flatMap((outcome) => (outcome instanceof DeckhandError ? [outcome] : []));
      const ofWorkflow = refusals.find(({ code }) => OF_WORKFLOW.includes(code));
      if (!first && ofWorkflow) throw ofWorkflow;
      if (first && caller.kind === 'key') await noteStart(caller, workflowId, first.executionId);
      const rate = leastRemaining(runs);
      if (rate) setRateHeaders(response, rate);
      sendJson(response, 200, {
        accepted: runs.length,
        refused: refusals.length,
        items: outcomes.map(toResult),
        ...workersAnswer(
          fleet.counts(),
          runs.every(({ isDelayed }) => isDelayed),
        ),
      });
    },
    { guard: breaker.check },
  );
}

/** Errors that all items have if one has them. */
const OF_WORKFLOW: readonly ErrorCode[] = ['NOT_FOUND', 'FORBIDDEN'];

function toResult(outcome: Outcome): ExecuteBatchResponse['items'][number] {
  if (outcome instanceof DeckhandError) {
    const { status, message, code, extra, details } = outcome;
    return { status, error: message, code, ...extra, ...(details === undefined ? {} : { details }) };
  }
  const { executionId, isRepeated, isDebounced } = outcome;
  const joined = isDebounced === true && { isDebounced };
  return { status: 202, executionId, message: startedMessage(outcome), isRepeated, ...joined };
}

/** Returns the limit of runs as the last run found it. */
function leastRemaining(runs: readonly StartedRun[]): CountedRate | undefined {
  const rates = runs.flatMap(({ rate }) => rate ?? []);
  return rates.toSorted((a, b) => a.remaining - b.remaining)[0];
}

import { randomUUID } from 'node:crypto';
import { waitForRuns, waitUntil } from './runs.ts';
import { post, type Stack } from './stack.ts';
import { median } from './suite/times.ts';
import { saveWorkflow } from './workflows.ts';

const EVENTS = 10_000;
/** Requests at the same time. */
const CONNECTIONS = 32;
const BATCH = 1_000;

/** What 10,000 events did: medians, in seconds from the first request on, and events per second. */
export interface IncomingEventFigures {
  readonly label: string;
  readonly acceptedSeconds: number;
  readonly doneSeconds: number;
  readonly eventsPerSecond: number;
}

/**
 * Sends 10,000 events, one per request: each wakes one of 10,000 resting runs; then each starts a run. Throws when a
 * run is missing, doubled, or has another event.
 */
export async function incomingEvents(stack: Stack, repeat: number): Promise<IncomingEventFigures[]> {
  const rounds = { 'wake 10,000 runs': [] as Round[], 'start 10,000 runs': [] as Round[] };
  for (let round = 0; round <= repeat; round += 1) {
    const [woken, started] = [await wake(stack), await start(stack)];
    console.log({ woken, started });
    // The first round warms up.
    if (round === 0) continue;
    rounds['wake 10,000 runs'].push(woken);
    rounds['start 10,000 runs'].push(started);
  }
  return Object.entries(rounds).map(([label, all]) => {
    const doneSeconds = median(all.map(({ done }) => done));
    const acceptedSeconds = median(all.map(({ accepted }) => accepted));
    return { label, acceptedSeconds, doneSeconds, eventsPerSecond: EVENTS / doneSeconds };
  });
}

/** Seconds until all events were accepted, and until all of their runs had ended. */
interface Round {
  readonly accepted: number;
  readonly done: number;
}

async function wake(stack: Stack): Promise<Round> {
  const name = `paid.${randomUUID()}`;
  const workflowId = await saveWorkflow(stack, 'wait', {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'wait', type: 'wait.event', parameters: { name, key: '{{ $trigger.order }}' } },
      { id: 'end', type: 'set', parameters: { fields: { key: '{{ $input.key }}' } } },
    ],
    edges: [
      { source: 'start', target: 'wait' },
      { source: 'wait', sourceHandle: 'received', target: 'end' },
    ],
  });
  for (let from = 0; from < EVENTS; from += BATCH) {
    const items = Array.from({ length: BATCH }, (_, n) => ({ input: { order: `A-${from + n}` } }));
    await post(stack.url, `/api/workflows/${workflowId}/execute/batch`, items, { 'x-api-key': stack.apiKey });
  }
  const where = { workflowId, wakeAt: null, workerId: null, status: 'running' } as const;
  await waitUntil(async () => (await stack.db.execution.count({ where })) === EVENTS, 'resting runs');
  const result = await send(stack, name, () => waitForRuns(stack, workflowId));
  const [wrong] = await stack.db.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM executions e JOIN waits w ON w.execution_id = e.id LEFT JOIN events v ON v.id = w.event_id
    WHERE e.workflow_id = ${workflowId}::uuid AND (e.status <> 'success' OR e.answers <> 1
      OR v.key IS DISTINCT FROM e.trigger_data::json ->> 'order')`;
  if (wrong?.count !== 0) throw new Error(`${wrong?.count} runs were not woken once by their event`);
  return result;
}

async function start(stack: Stack): Promise<Round> {
  const name = `created.${randomUUID()}`;
  const workflowId = await saveWorkflow(stack, 'event', {
    nodes: [
      { id: 'event', type: 'trigger.event', parameters: { name, filter: "{{ $trigger.key != '' }}" } },
      { id: 'end', type: 'set', parameters: { fields: { key: '{{ $trigger.key }}' } } },
    ],
    edges: [{ source: 'event', target: 'end' }],
  });
  await fetch(`${stack.url}/api/workflows/${workflowId}`, {
    method: 'PATCH',
    headers: { 'x-api-key': stack.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ status: 'active' }),
  });
  const result = await send(stack, name, async () => {
    const count = () => stack.db.execution.count({ where: { workflowId } });
    await waitUntil(async () => (await count()) >= EVENTS, 'started runs');
    await waitForRuns(stack, workflowId);
  });
  const count = await stack.db.execution.count({ where: { workflowId, status: 'success' } });
  if (count !== EVENTS) throw new Error(`${EVENTS} events were sent, ${count} runs succeeded`);
  return result;
}

/** Sends the events, each in a request of its own, and waits for what they lead to. */
async function send(stack: Stack, name: string, waitForAll: () => Promise<void>): Promise<Round> {
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1_000;
  let next = 0;
  const sendRest = async (): Promise<void> => {
    for (let n = next++; n < EVENTS; n = next++) {
      const body = { workspaceId: stack.workspaceId, name, key: `A-${n}`, id: `${name}-${n}`, data: { amount: n } };
      await post(stack.url, '/api/events', body, { 'x-api-key': stack.apiKey });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendRest));
  const accepted = seconds();
  await waitForAll();
  return { accepted, done: seconds() };
}

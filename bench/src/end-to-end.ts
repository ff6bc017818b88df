import autocannon from 'autocannon';
import { post, type Stack } from './stack.js';

/** What a load of runs came to. Rates are runs a second. */
export interface EndToEndResult {
  readonly runs: number;
  readonly acceptedPerSecond: number;
  /** From the first request to the last finish. */
  readonly finishedPerSecond: number;
  /** Answers to POST execute, in ms. */
  readonly acceptP50: number;
  readonly acceptP99: number;
  /** Runs that did not end in success. */
  readonly lost: number;
  /** CPU of API and worker together, in µs a run. */
  readonly cpuPerRun: number;
}

/** Four pure nodes: manual → set → if → set. */
export const DEFINITION = {
  nodes: [
    { id: 'start', type: 'trigger.manual' },
    { id: 'total', type: 'set', parameters: { fields: { total: '{{ $trigger.amount * $trigger.quantity }}' } } },
    { id: 'check', type: 'if', parameters: { condition: '{{ $input.total > 100 }}' } },
    {
      id: 'mark',
      type: 'set',
      parameters: { keepInput: true, fields: { route: 'big', order: '{{ $trigger.order }}' } },
    },
  ],
  edges: [
    { source: 'start', target: 'total' },
    { source: 'total', target: 'check' },
    { source: 'check', sourceHandle: 'true', target: 'mark' },
  ],
};

const DRAIN_TIMEOUT_MS = 120_000;

/** Starts `runs` executions over HTTP and waits until the last one is finished. */
export async function endToEnd(
  stack: Stack,
  options: { runs: number; connections: number; cpuOf: () => Promise<number> },
): Promise<EndToEndResult> {
  const headers = { 'x-api-key': stack.apiKey };
  const workflow = await post<{ id: string }>(
    stack.url,
    '/api/workflows',
    { workspaceId: stack.workspaceId, name: `bench ${Date.now()}`, definition: DEFINITION },
    headers,
  );
  const cpuBefore = await options.cpuOf();
  const startedAt = performance.now();
  const load = await autocannon({
    url: `${stack.url}/api/workflows/${workflow.id}/execute`,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ input: { order: 'A-1', amount: 45, quantity: 3 } }),
    connections: options.connections,
    amount: options.runs,
  });
  const acceptedAt = performance.now();
  if (load.non2xx > 0 || load.errors > 0) throw new Error(`${load.non2xx} refused, ${load.errors} broken`);
  const finished = await waitForAll(stack, workflow.id, options.runs);
  const endedAt = performance.now();
  const cpuSeconds = (await options.cpuOf()) - cpuBefore;
  return {
    runs: options.runs,
    acceptedPerSecond: (options.runs / (acceptedAt - startedAt)) * 1_000,
    finishedPerSecond: (options.runs / (endedAt - startedAt)) * 1_000,
    acceptP50: load.latency.p50,
    acceptP99: load.latency.p99,
    lost: options.runs - finished,
    cpuPerRun: (cpuSeconds * 1_000_000) / options.runs,
  };
}

async function waitForAll(stack: Stack, workflowId: string, runs: number): Promise<number> {
  const deadline = performance.now() + DRAIN_TIMEOUT_MS;
  for (;;) {
    const finished = await stack.db.execution.count({ where: { workflowId, status: 'success' } });
    if (finished >= runs || performance.now() > deadline) return finished;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

import { countRuns, waitForRuns } from './runs.ts';
import { startSlowServer } from './slow-server.ts';
import type { Stack } from './stack.ts';
import { send } from './suite/load.ts';
import { saveWorkflow } from './workflows.ts';

/** Workers, step by step. */
const FLEETS = [1, 2, 4, 8] as const;
/** Runs that a worker of this measurement holds at once: few, so that places are short and not the CPU. */
export const PLACES = 4;
/** How long each of a run's two calls takes, in ms. */
const CALL_MS = 50;
/** Runs a worker gets, about ten seconds' worth. */
const RUNS_A_WORKER = 300;
const CONNECTIONS = 20;

/** The throughput of a fleet. */
export interface ScalingRow {
  readonly workers: number;
  readonly runsPerSecond: number;
  /** What places and calls would allow if nothing else took time, in runs a second. */
  readonly most: number;
}

/** Runs of two http nodes that wait 50 ms each, by 1, 2, 4 and 8 workers with four places each. */
export async function scaling(stack: Stack): Promise<ScalingRow[]> {
  const server = await startSlowServer(CALL_MS);
  const { url } = server;
  const definition = {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'first', type: 'http', parameters: { url } },
      { id: 'second', type: 'http', parameters: { url } },
    ],
    edges: [
      { source: 'start', target: 'first' },
      { source: 'first', target: 'second' },
    ],
  };
  try {
    await run(stack, definition, RUNS_A_WORKER);
    const rows: ScalingRow[] = [];
    let workers = 1;
    for (const fleet of FLEETS) {
      for (; workers < fleet; workers += 1) await stack.addWorker();
      const runsPerSecond = await run(stack, definition, RUNS_A_WORKER * fleet);
      rows.push({ workers: fleet, runsPerSecond, most: (fleet * PLACES * 1_000) / (2 * CALL_MS) });
    }
    return rows;
  } finally {
    server.close();
  }
}

/** @returns runs a second, from the first request to the last finish. */
async function run(stack: Stack, definition: object, amount: number): Promise<number> {
  const workflowId = await saveWorkflow(stack, 'calls', definition);
  const startedAt = performance.now();
  await send({
    url: `${stack.url}/api/workflows/${workflowId}/execute`,
    method: 'POST',
    headers: { 'x-api-key': stack.apiKey },
    body: '{}',
    connections: CONNECTIONS,
    amount,
    status: 202,
  });
  await waitForRuns(stack, workflowId);
  const { succeeded } = await countRuns(stack, workflowId);
  if (succeeded !== amount) throw new Error(`${succeeded} of ${amount} runs succeeded`);
  return (amount * 1_000) / (performance.now() - startedAt);
}

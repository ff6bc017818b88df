import { cpuSeconds } from '../cpu.js';
import { countRuns, waitForRuns } from '../runs.js';
import type { Stack } from '../stack.js';
import { FOUR_NODES, FOUR_NODES_BODY, saveWorkflow } from '../workflows.js';
import { runBareJobs } from './bare-jobs.js';
import { send } from './load.js';
import type { Figures, Scenario } from './scenario.js';

const CONNECTIONS = 50;
const RUNS = 20_000;

/** Runs of four nodes over HTTP, from the first request to the last finish; the floor has no HTTP. */
export const endToEnd: Scenario = {
  name: 'end to end, 20,000 runs of four nodes',
  prepare: ({ stack, floor }) =>
    Promise.resolve({
      ours: () => runAll(stack),
      floor: async () => ({ 'runs/s': await floor.awake(['worker'], () => runBareJobs(floor, RUNS, CONNECTIONS)) }),
    }),
};

async function runAll(stack: Stack): Promise<Figures> {
  const workflowId = await saveWorkflow(stack, 'end to end', FOUR_NODES);
  const { api, worker, postgres, redis } = stack;
  const pids = [api, worker, postgres.process, redis.process].map(({ pid }) => pid);
  const cpuBefore = await cpuSeconds(pids);
  const startedAt = performance.now();
  const accepted = await send({
    url: `${stack.url}/api/workflows/${workflowId}/execute`,
    method: 'POST',
    headers: { 'x-api-key': stack.apiKey },
    body: FOUR_NODES_BODY,
    connections: CONNECTIONS,
    amount: RUNS,
    status: 202,
  });
  await waitForRuns(stack, workflowId);
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpu = (await cpuSeconds(pids)) - cpuBefore;
  const { all, succeeded } = await countRuns(stack, workflowId);
  if (all !== RUNS || succeeded !== RUNS)
    throw new Error(`${RUNS} runs were started, ${succeeded} of ${all} succeeded`);
  return {
    'runs/s': RUNS / seconds,
    'accept p99 ms': accepted.p99,
    'CPU µs a run, all processes': (cpu * 1e6) / RUNS,
  };
}

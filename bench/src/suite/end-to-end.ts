import { cpuSeconds } from '../cpu.ts';
import { countRuns, waitForRuns } from '../runs.ts';
import type { ManagedProcess } from '@deckhand/local';
import type { Stack } from '../stack.ts';
import { FOUR_NODES, FOUR_NODES_BODY, saveWorkflow } from '../workflows.ts';
import { runBareJobs } from './bare-jobs.ts';
import { send } from './load.ts';
import type { Figures, Scenario } from './scenario.ts';

const CONNECTIONS = 50;
const RUNS = 20_000;

/** Runs of four nodes over HTTP, from the first request to the last finish; the floor has no HTTP. */
export const endToEnd: Scenario = {
  name: 'end to end, 20,000 runs of four nodes',
  prepare: ({ stack, floor }) =>
    Promise.resolve({
      ours: () => runFourNodes(stack, { runs: RUNS, workers: [stack.worker] }),
      floor: async () => ({ 'runs/s': await floor.awake(['worker'], () => runBareJobs(floor, RUNS, CONNECTIONS)) }),
    }),
};

/** Sends runs as fast as they are accepted, and waits for the last. @returns runs per second, CPU per run by part. */
export async function runFourNodes(
  stack: Stack,
  { runs, workers }: { readonly runs: number; readonly workers: readonly ManagedProcess[] },
): Promise<Figures> {
  const workflowId = await saveWorkflow(stack, 'end to end', FOUR_NODES);
  const parts = {
    API: [stack.api],
    worker: workers,
    PostgreSQL: [stack.postgres.process],
    Redis: [stack.redis.process],
  };
  const readCpu = (): Promise<[string, number][]> =>
    Promise.all(
      Object.entries(parts).map(async ([part, processes]) => [part, await cpuSeconds(processes.map(({ pid }) => pid))]),
    );
  const cpuBefore = new Map(await readCpu());
  const startedAt = performance.now();
  const accepted = await send({
    url: `${stack.url}/api/workflows/${workflowId}/execute`,
    method: 'POST',
    headers: { 'x-api-key': stack.apiKey },
    body: FOUR_NODES_BODY,
    connections: CONNECTIONS,
    amount: runs,
    status: 202,
  });
  await waitForRuns(stack, workflowId);
  const seconds = (performance.now() - startedAt) / 1_000;
  const microsPerRun = (await readCpu()).map(
    ([part, used]) => [part, ((used - (cpuBefore.get(part) ?? 0)) * 1e6) / runs] as const,
  );
  const { all, succeeded } = await countRuns(stack, workflowId);
  if (all !== runs || succeeded !== runs)
    throw new Error(`${runs} runs were started, ${succeeded} of ${all} succeeded`);
  return {
    'runs/s': runs / seconds,
    'accept p99 ms': accepted.p99,
    'CPU µs a run': microsPerRun.reduce((sum, [, micros]) => sum + micros, 0),
    ...Object.fromEntries(microsPerRun.map(([part, micros]) => [`CPU µs a run, ${part}`, micros])),
  };
}

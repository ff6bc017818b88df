import { waitForRuns } from '../runs.ts';
import { chain, loop } from '../shapes.ts';
import { post, type Stack } from '../stack.ts';
import { saveWorkflow } from '../workflows.ts';
import { send } from './load.ts';
import type { Scenario } from './scenario.ts';

const CHAIN = 100;
const CHAINS = 300;
const CONNECTIONS = 20;
const ITERATIONS = 10_000;
const LOOPS = 5;

/** Many runs of many pure nodes: the time of all, by nodes, checkpoints included. */
export const chainOfNodes: Scenario = {
  name: 'chains of 100 pure nodes',
  async prepare({ stack }) {
    const workflowId = await saveWorkflow(stack, 'chain', chain(CHAIN));
    return {
      async ours() {
        const startedAt = performance.now();
        await send({
          url: `${stack.url}/api/workflows/${workflowId}/execute`,
          method: 'POST',
          headers: { 'x-api-key': stack.apiKey },
          body: '{}',
          connections: CONNECTIONS,
          amount: CHAINS,
          status: 202,
        });
        await waitForRuns(stack, workflowId);
        return { 'µs a node': ((performance.now() - startedAt) * 1_000) / (CHAINS * CHAIN) };
      },
    };
  },
};

/** One run at a time of many iterations: the time of the run, by iterations, checkpoints included. */
export const loopOfNodes: Scenario = {
  name: 'loop of 10,000, a pure node each',
  async prepare({ stack }) {
    const items = Array.from({ length: ITERATIONS }, (_, index) => index);
    return {
      async ours() {
        const workflowId = await saveWorkflow(stack, 'loop', loop({ iterations: ITERATIONS, concurrency: 1 }));
        for (let i = 0; i < LOOPS; i += 1) await runOnce(stack, workflowId, { items });
        return { 'µs an iteration': ((await meanDuration(stack, workflowId)) * 1_000) / ITERATIONS };
      },
    };
  },
};

async function runOnce(stack: Stack, workflowId: string, input: object): Promise<void> {
  await post(stack.url, `/api/workflows/${workflowId}/execute`, { input }, { 'x-api-key': stack.apiKey });
  await waitForRuns(stack, workflowId);
}

/** Mean time from start to finish of a workflow's runs, in ms, as the database has it. */
async function meanDuration({ db }: Stack, workflowId: string): Promise<number> {
  const [row] = await db.$queryRaw<{ ms: number }[]>`
    SELECT avg(extract(epoch FROM finished_at - started_at) * 1000)::float8 AS ms FROM executions
    WHERE workflow_id = ${workflowId}::uuid`;
  return row?.ms ?? NaN;
}

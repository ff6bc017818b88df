import { freeze, thaw } from '../freeze.ts';
import { waitForRuns } from '../runs.ts';
import { FOUR_NODES, FOUR_NODES_BODY, saveWorkflow } from '../workflows.ts';
import { figuresOf, send } from './load.ts';
import type { Scenario } from './scenario.ts';

const CONNECTIONS = 50;
const REQUESTS = 6_000;

/** POST execute while no worker takes the jobs; the floor's is frozen, too. */
export const accept: Scenario = {
  name: 'accept, 50 connections',
  async prepare({ stack, floor }) {
    const workflowId = await saveWorkflow(stack, 'accept', FOUR_NODES);
    const url = `${stack.url}/api/workflows/${workflowId}/execute`;
    const headers = { 'x-api-key': stack.apiKey };
    const load = {
      method: 'POST',
      body: FOUR_NODES_BODY,
      connections: CONNECTIONS,
      amount: REQUESTS,
      status: 202,
    } as const;
    return {
      async ours() {
        freeze(stack.worker);
        try {
          return figuresOf(await send({ ...load, url, headers }));
        } finally {
          thaw(stack.worker);
          await waitForRuns(stack, workflowId);
        }
      },
      floor: async () => figuresOf(await floor.awake(['api'], () => send({ ...load, url: `${floor.url}/accept` }))),
    };
  },
};

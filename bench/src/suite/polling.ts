import { parseOwnJson } from '@deckhand/contracts';
import { waitForRuns } from '../runs.ts';
import { post } from '../stack.ts';
import { FOUR_NODES, FOUR_NODES_BODY, saveWorkflow } from '../workflows.ts';
import { figuresOf, send } from './load.ts';
import type { Scenario } from './scenario.ts';

const CONNECTIONS = 100;
const REQUESTS = 20_000;

/** Asking for a finished run, with a body or with its ETag; the floor is a route with one indexed select. */
export function polling({ isUnchanged }: { isUnchanged: boolean }): Scenario {
  return {
    name: `polling ${isUnchanged ? 'with a matching ETag' : 'slim'}, 100 connections`,
    async prepare({ stack, floor }) {
      const key = { 'x-api-key': stack.apiKey };
      const workflowId = await saveWorkflow(stack, 'polling', FOUR_NODES);
      const body = parseOwnJson<object>(FOUR_NODES_BODY);
      const run = await post<{ executionId: string }>(stack.url, `/api/workflows/${workflowId}/execute`, body, key);
      await waitForRuns(stack, workflowId);
      const url = `${stack.url}/api/executions/${run.executionId}?slim=true`;
      const etag = (await fetch(url, { headers: key })).headers.get('etag') ?? '';
      const load = { method: 'GET', connections: CONNECTIONS, amount: REQUESTS } as const;
      const [headers, status] = isUnchanged ? [{ ...key, 'if-none-match': etag }, 304] : [key, 200];
      const floorId = await floor.awake(['api'], () => post<{ executionId: string }>(floor.url, '/accept', body, {}));
      return {
        ours: async () => figuresOf(await send({ ...load, url, headers, status })),
        floor: async () =>
          figuresOf(
            await floor.awake(['api'], () =>
              send({ ...load, url: `${floor.url}/runs/${floorId.executionId}`, status: 200 }),
            ),
          ),
      };
    },
  };
}

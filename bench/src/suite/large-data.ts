import { randomBytes } from 'node:crypto';
import { parseOwnJson } from '@deckhand/contracts';
import { post, type Stack } from '../stack.ts';
import { saveWorkflow } from '../workflows.ts';
import type { Figures, Scenario } from './scenario.ts';
import { quantile, timeEach } from './times.ts';

const RUNS = 10;
const ITEM_BYTES = 1_000;
const ITEMS = 5_000;

const DEFINITION = {
  nodes: [
    { id: 'start', type: 'trigger.manual' },
    { id: 'copy', type: 'set', parameters: { fields: { copy: '{{ $trigger.items }}' } } },
  ],
  edges: [{ source: 'start', target: 'copy' }],
};

/** 5 MB in, 5 MB out, one at a time, from the POST to the end; the floor parses and inserts both. */
export const largeData: Scenario = {
  name: 'large data, 5 MB in and out',
  async prepare({ stack, floor }) {
    const workflowId = await saveWorkflow(stack, 'large', DEFINITION);
    const input = { items: Array.from({ length: ITEMS }, () => randomBytes(ITEM_BYTES / 2).toString('hex')) };
    return {
      ours: async () => figuresOf(await timeEach(RUNS, () => runAndFollow(stack, workflowId, input))),
      floor: async () =>
        figuresOf(await floor.awake(['api'], () => timeEach(RUNS, () => post(floor.url, '/large', input, {})))),
    };
  },
};

function figuresOf(times: readonly number[]): Figures {
  return { 'p50 ms': quantile(times, 0.5) };
}

async function runAndFollow(stack: Stack, workflowId: string, input: object): Promise<void> {
  const headers = { 'x-api-key': stack.apiKey };
  const path = `/api/workflows/${workflowId}/execute`;
  const { executionId } = await post<{ executionId: string }>(stack.url, path, { input }, headers);
  const answer = await fetch(`${stack.url}/api/executions/${executionId}?slim=true&wait=60`, { headers });
  const { status } = parseOwnJson<{ status: string }>(await answer.text());
  if (status !== 'success') throw new Error(`${executionId} is ${status}`);
}

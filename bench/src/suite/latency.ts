import { parseOwnJson } from '@deckhand/contracts';
import { FOUR_NODES, FOUR_NODES_BODY, saveWorkflow } from '../workflows.ts';
import { post, type Stack } from '../stack.ts';
import { Queue, QueueEvents } from 'bullmq';
import { FLOOR_QUEUE, type FloorJob } from '../floor/queue.ts';
import type { Floor } from '../floor/start.ts';
import type { Figures, Scenario } from './scenario.ts';
import { quantile, timeEach } from './times.ts';

const RUNS = 1_000;
const WAIT_MS = 10_000;

/** One run at a time: from its POST to its end, as its event stream reports it. */
export const latency: Scenario = {
  name: 'latency at rest, POST to finished over SSE',
  async prepare({ stack, floor }) {
    const workflowId = await saveWorkflow(stack, 'latency', FOUR_NODES);
    return {
      ours: async () => figuresOf(await timeEach(RUNS, () => runAndFollow(stack, workflowId))),
      floor: async () => figuresOf(await floor.awake(['worker'], () => addAndAwait(floor))),
    };
  },
};

function figuresOf(times: readonly number[]): Figures {
  return { 'p50 ms': quantile(times, 0.5), 'p99 ms': quantile(times, 0.99) };
}

async function runAndFollow(stack: Stack, workflowId: string): Promise<void> {
  const headers = { 'x-api-key': stack.apiKey };
  const path = `/api/workflows/${workflowId}/execute`;
  const { executionId } = await post<{ executionId: string }>(
    stack.url,
    path,
    parseOwnJson<object>(FOUR_NODES_BODY),
    headers,
  );
  const events = await fetch(`${stack.url}/api/executions/${executionId}/events`, { headers });
  // The stream ends with the run.
  if (!(await events.text()).includes('"status":"success"')) throw new Error(`${executionId} did not succeed`);
}

async function addAndAwait({ redisUrl }: Floor): Promise<number[]> {
  const connection = { url: redisUrl };
  const queue = new Queue<FloorJob>(FLOOR_QUEUE, {
    connection,
    defaultJobOptions: { removeOnComplete: { count: 10_000 } },
  });
  const events = new QueueEvents(FLOOR_QUEUE, {
    connection: { ...connection, maxRetriesPerRequest: null },
    // By default it listens from its first reading on, which may be after the first job's end.
    lastEventId: `${Date.now()}-0`,
  });
  try {
    await events.waitUntilReady();
    return await timeEach(RUNS, async () => {
      const job = await queue.add('job', {});
      await job.waitUntilFinished(events, WAIT_MS);
    });
  } finally {
    await events.close();
    await queue.close();
  }
}

import { parseOwnJson } from '@deckhand/contracts';
import { startSlowServer } from './slow-server.ts';
import type { Stack } from './stack.ts';
import { saveWorkflow } from './workflows.ts';

/** How long a run's call takes, in ms. */
const CALL_MS = 2_000;
/** Interval of the starts, in ms: 125 a second. */
const START_INTERVAL_MS = 8;
const LOAD_SECONDS = 60;
/** How long the queue is watched in all, in s. */
const WATCHED_SECONDS = 170;

/** What waits for workers, once a second. */
export interface QueueSample {
  readonly waitingJobs: number;
  readonly oldestWaitingSeconds: number;
  readonly heldRuns: number;
}

/**
 * Starts 125 runs a second for a minute. Each occupies one of the worker's 100 places for 2 s, so it finishes at most
 * 50 a second. `tests/deployment/scaling.test.ts` applies the formula of the autoscaler to the result.
 */
export async function overload(stack: Stack): Promise<QueueSample[]> {
  const server = await startSlowServer(CALL_MS);
  const headers = { 'x-api-key': stack.apiKey };
  const samples: QueueSample[] = [];
  try {
    const workflowId = await saveWorkflow(stack, 'calls', {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'call', type: 'http', parameters: { url: server.url } },
      ],
      edges: [{ source: 'start', target: 'call' }],
    });
    const url = `${stack.url}/api/workflows/${workflowId}/execute`;
    const failures: string[] = [];
    const start = setInterval(() => {
      fetch(url, { method: 'POST', headers }).then(
        async (response) => {
          await response.arrayBuffer();
          if (response.status !== 202) failures.push(String(response.status));
        },
        (error: unknown) => failures.push(String(error)),
      );
    }, START_INTERVAL_MS);
    for (let second = 0; second < WATCHED_SECONDS; second += 1) {
      if (second === LOAD_SECONDS) clearInterval(start);
      samples.push(await readQueue(stack, headers));
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    if (failures.length > 0) throw new Error(`${failures.length} starts failed: ${failures[0] ?? ''}`);
    return samples;
  } finally {
    server.close();
  }
}

async function readQueue(stack: Stack, headers: Readonly<Record<string, string>>): Promise<QueueSample> {
  const response = await fetch(`${stack.url}/api/monitoring/fleet`, { headers });
  const { queue, data } = parseOwnJson<{
    queue: { waiting: number; oldestWaitingSeconds: number | null };
    data: { active: number }[];
  }>(await response.text());
  return {
    waitingJobs: queue.waiting,
    oldestWaitingSeconds: queue.oldestWaitingSeconds ?? 0,
    heldRuns: data.reduce((sum, { active }) => sum + active, 0),
  };
}

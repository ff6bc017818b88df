// Runs on a thread of its own, so that preparing an attack delays no measurement. Node.js loads the file as it is, so
// it imports nothing of this repository.
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** The process and workflow that it observes. */
export interface Watched {
  /** Of the API. */
  readonly url: string;
  readonly key: string;
  readonly workflowId: string;
}

/** Measurements of the victim during an attack. */
export interface Sight {
  /** Duration of the victim's slowest run, from the request to its end, in ms. */
  readonly slowestRun: number;
  /** Duration of the slowest response to `GET /healthz`, in ms. */
  readonly slowestAnswer: number;
  /** Number of the victim's runs, and the ends of those without success. */
  readonly runs: number;
  readonly failures: readonly string[];
}

/** Interval between two probes of the API, and between two runs, in ms: most of the CPU is left to the attack. */
const EVERY_MS = 100;
/** How long the victim waits for a run, in ms. */
const RUN_MS = 60_000;

const { url, key, workflowId }: Watched = workerData;
const isOver = new AbortController();
parentPort?.once('message', () => isOver.abort());

const runs: number[] = [];
const answers: number[] = [];
const failures: string[] = [];

async function again(took: number[], work: () => Promise<string | undefined>): Promise<void> {
  do {
    const begunAt = performance.now();
    const failure = await work().catch(String);
    took.push(performance.now() - begunAt);
    if (failure !== undefined) failures.push(failure);
    await sleep(EVERY_MS);
  } while (!isOver.signal.aborted);
}

/** Starts the victim's workflow, and waits for the end of its run. */
async function run(): Promise<string | undefined> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const body = JSON.stringify({ input: { n: runs.length } });
  const started = await fetch(`${url}/api/workflows/${workflowId}/execute`, { method: 'POST', headers, body });
  if (!started.ok) return `not started: ${started.status} ${await started.text()}`;
  const { executionId }: { executionId: string } = JSON.parse(await started.text());
  const until = performance.now() + RUN_MS;
  while (performance.now() < until) {
    const answer = await fetch(`${url}/api/executions/${executionId}?wait=10`, { headers });
    const { status }: { status: string } = JSON.parse(await answer.text());
    if (status === 'success') return undefined;
    if (status === 'failed') return status;
  }
  return 'not ended';
}

async function probe(): Promise<string | undefined> {
  const answer = await fetch(`${url}/healthz`);
  await answer.text();
  return answer.ok ? undefined : `healthz: ${answer.status}`;
}

await Promise.all([again(runs, run), again(answers, probe)]);
const sight: Sight = {
  slowestRun: Math.max(...runs),
  slowestAnswer: Math.max(...answers),
  runs: runs.length,
  failures,
};
parentPort?.postMessage(sight);

import { type FleetResponse, parseOwnJson } from '@deckhand/contracts';
import type { ManagedProcess } from '@deckhand/local';
import { freeze, thaw } from '../freeze.ts';
import { countRuns, waitForRuns, waitUntil } from '../runs.ts';
import { startSlowServer } from '../slow-server.ts';
import type { Stack } from '../stack.ts';
import { saveWorkflow } from '../workflows.ts';
import { send } from './load.ts';
import type { Figures, Scenario } from './scenario.ts';
import { quantile } from './times.ts';

/** Fewer than a worker has places, so that nothing waits for one. */
const RUNS = 90;
/**
 * Calls of a run, one after another, and how long each takes, in ms: long enough that the worker dies in the middle of
 * them.
 */
const CALLS = 60;
const CALL_MS = 50;
/** Runs that the worker holds at least when it is killed. */
const HELD = 60;

/** A worker is killed in the middle of its runs: from its death to the next checkpoint of each, by another worker. */
export const recovery: Scenario = {
  name: 'recovery, from kill -9 of a loaded worker to the next checkpoint of its runs',
  async prepare({ stack }) {
    return {
      async ours() {
        const server = await startSlowServer(CALL_MS);
        try {
          return await killAndTime(stack, await saveWorkflow(stack, 'recovery', calls(server.url)));
        } finally {
          server.close();
        }
      },
    };
  },
};

function calls(url: string): object {
  const ids = Array.from({ length: CALLS }, (_, index) => `call${index}`);
  return {
    nodes: [{ id: 'start', type: 'trigger.manual' }, ...ids.map((id) => ({ id, type: 'http', parameters: { url } }))],
    edges: ids.map((target, index) => ({ source: index === 0 ? 'start' : `call${index - 1}`, target })),
  };
}

async function killAndTime(stack: Stack, workflowId: string): Promise<Figures> {
  const victim = await stack.addWorker();
  const victimId = await workerIdOf(stack, victim);
  const isHeld = { workflowId, workerId: victimId, status: 'running', checkpoint: { gt: 0 } } as const;
  // So that the one to be killed gets the runs.
  freeze(stack.worker);
  try {
    await send({
      url: `${stack.url}/api/workflows/${workflowId}/execute`,
      method: 'POST',
      headers: { 'x-api-key': stack.apiKey },
      body: '{}',
      connections: RUNS,
      amount: RUNS,
      status: 202,
    });
    await waitUntil(async () => (await stack.db.execution.count({ where: isHeld })) >= HELD, 'the runs to be held');
  } finally {
    thaw(stack.worker);
  }
  await victim.kill();
  const killedAt = performance.now();
  const orphans = await stack.db.execution.findMany({ where: isHeld, select: { id: true } });
  const waiting = new Set(orphans.map(({ id }) => id));
  const times: number[] = [];
  await waitUntil(async () => {
    // Claimed by the next worker, which raises the epoch, and written to by it.
    const moved = await stack.db.execution.findMany({
      where: { id: { in: [...waiting] }, epoch: { gt: 1 }, checkpointSeq: { gt: 0 } },
      select: { id: true },
    });
    for (const { id } of moved) {
      waiting.delete(id);
      times.push(performance.now() - killedAt);
    }
    return waiting.size === 0;
  }, 'the runs to go on');
  await waitForRuns(stack, workflowId);
  const { all, succeeded } = await countRuns(stack, workflowId);
  if (all !== RUNS || succeeded !== RUNS) throw new Error(`${succeeded} of ${all} runs succeeded, of ${RUNS}`);
  return { runs: times.length, 'p50 ms': quantile(times, 0.5), 'p99 ms': quantile(times, 0.99) };
}

/** The API reads the fleet at most once a second, so a new worker may be missing at first. */
async function workerIdOf({ url, apiKey }: Stack, { pid }: ManagedProcess): Promise<string> {
  let id: string | undefined;
  await waitUntil(async () => {
    const answer = await fetch(`${url}/api/monitoring/fleet`, { headers: { 'x-api-key': apiKey } });
    const { data } = parseOwnJson<FleetResponse>(await answer.text());
    id = data?.find((entry) => entry.pid === pid)?.id;
    return id !== undefined;
  }, 'the worker to be in the fleet');
  return id ?? '';
}

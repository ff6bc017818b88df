import { fork } from 'node:child_process';
import { cpuSeconds } from './cpu.ts';
import { countRuns, waitForRuns, waitUntil } from './runs.ts';
import { post, type Stack } from './stack.ts';
import { send } from './suite/load.ts';
import { median } from './suite/times.ts';
import { FOUR_NODES, FOUR_NODES_BODY, saveWorkflow } from './workflows.ts';

/** Runs of each round at saturation. */
const RUNS = 15_000;
/** The fixed load, in runs per second, and for how long. */
const PER_SECOND = 1_000;
const SECONDS = 12;
const CONNECTIONS = 50;

/** What a round came to, in numbers by name. */
export type EventFigures = Readonly<Record<string, number>>;

/** Medians of rounds of a kind. */
export interface EventRounds {
  readonly label: string;
  readonly figures: EventFigures;
}

/**
 * Measures runs of four nodes in a workspace without an endpoint, and with one that receives the end of each run: as
 * fast as they are accepted, and at a fixed load. A round ends once the last event is delivered. The receiver is a
 * process of its own, and its CPU time a figure of its own. Throws when an event was lost.
 */
export async function events(stack: Stack, repeat: number): Promise<EventRounds[]> {
  const receiver = await startReceiver();
  const rounds = new Map<string, EventFigures[]>();
  const measure = async (label: string, runs: number, perSecond?: number): Promise<void> => {
    const figures = await round(stack, receiver, { runs, perSecond });
    rounds.set(label, [...(rounds.get(label) ?? []), figures]);
    const shown = Object.entries(figures).map(([name, value]) => `${name} ${Math.round(value)}`);
    console.log(`  ${label}: ${shown.join(', ')}`);
  };
  const measureBoth = async (which: string): Promise<void> => {
    await measure(`saturated, ${which}`, RUNS);
    await measure(`${PER_SECOND} runs/s, ${which}`, PER_SECOND * SECONDS, PER_SECOND);
  };
  try {
    await round(stack, receiver, { runs: RUNS / 2 });
    for (let n = 0; n < repeat; n += 1) {
      await measureBoth('no endpoint');
      const before = await receiver.received();
      const remove = await addEndpoint(stack, receiver.url);
      await measureBoth('one endpoint');
      await remove();
      const received = (await receiver.received()) - before;
      const runs = RUNS + PER_SECOND * SECONDS;
      if (received !== runs) throw new Error(`${runs} runs, ${received} events`);
    }
  } finally {
    receiver.close();
  }
  return [...rounds].map(([label, each]) => ({ label, figures: medians(each) }));
}

async function round(
  stack: Stack,
  receiver: Receiver,
  { runs, perSecond }: { readonly runs: number; readonly perSecond?: number | undefined },
): Promise<EventFigures> {
  const workflowId = await saveWorkflow(stack, 'events', FOUR_NODES);
  const pids = {
    API: stack.api.pid,
    worker: stack.worker.pid,
    PostgreSQL: stack.postgres.process.pid,
    Redis: stack.redis.process.pid,
    receiver: receiver.pid,
  };
  const readCpu = (): Promise<[string, number][]> =>
    Promise.all(Object.entries(pids).map(async ([part, pid]) => [part, await cpuSeconds([pid])]));
  const before = new Map(await readCpu());
  const startedAt = performance.now();
  const secondsSince = (): number => (performance.now() - startedAt) / 1_000;
  await send({
    url: `${stack.url}/api/workflows/${workflowId}/execute`,
    method: 'POST',
    headers: { 'x-api-key': stack.apiKey },
    body: FOUR_NODES_BODY,
    connections: CONNECTIONS,
    amount: runs,
    ...(perSecond === undefined ? {} : { perSecond }),
    status: 202,
  });
  await waitForRuns(stack, workflowId);
  const runSeconds = secondsSince();
  await waitUntil(async () => !(await hasPending(stack)), 'the last event');
  const eventSeconds = secondsSince();
  // Upkeep after runs, which a busy round delays, belongs to its CPU time and not to that of the next round.
  await waitUntil(async () => (await stack.db.unindexedExecution.count()) === 0, 'the search index');
  const micros = (await readCpu()).map(
    ([part, used]) => [part, ((used - (before.get(part) ?? 0)) * 1e6) / runs] as const,
  );
  const { all, succeeded } = await countRuns(stack, workflowId);
  if (all !== runs || succeeded !== runs)
    throw new Error(`${runs} runs were started, ${succeeded} of ${all} succeeded`);
  const own = micros.filter(([part]) => part !== 'receiver');
  return {
    'runs/s': runs / runSeconds,
    'runs/s to the last event': runs / eventSeconds,
    'CPU µs a run': own.reduce((sum, [, each]) => sum + each, 0),
    ...Object.fromEntries(micros.map(([part, each]) => [`${part} µs`, each])),
  };
}

/** Whether events are pending. The status is part of the statement, so that it uses the partial index. */
async function hasPending({ db }: Stack): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>`SELECT 1 FROM event_deliveries WHERE status = 'pending' LIMIT 1`;
  return rows.length > 0;
}

interface Receiver {
  readonly pid: number;
  readonly url: string;
  /** Returns how many events it has received, the same ones once. */
  readonly received: () => Promise<number>;
  readonly close: () => void;
}

async function startReceiver(): Promise<Receiver> {
  const child = fork(new URL('./event-receiver.ts', import.meta.url));
  const answer = async (name: string): Promise<number> => {
    const message = await new Promise<unknown>((resolve) => child.once('message', resolve));
    return typeof message === 'object' && message !== null ? Number(Reflect.get(message, name)) : NaN;
  };
  const port = await answer('port');
  return {
    pid: child.pid ?? 0,
    url: `http://127.0.0.1:${port}/`,
    received: async () => {
      child.send('count');
      return answer('received');
    },
    close: () => child.disconnect(),
  };
}

async function addEndpoint(stack: Stack, url: string): Promise<() => Promise<unknown>> {
  const headers = { 'x-api-key': stack.apiKey };
  const body = { workspaceId: stack.workspaceId, url, eventTypes: ['run.succeeded', 'run.failed'] };
  const { id } = await post<{ id: string }>(stack.url, '/api/event-endpoints', body, headers);
  return () => fetch(`${stack.url}/api/event-endpoints/${id}`, { method: 'DELETE', headers });
}

function medians(rounds: readonly EventFigures[]): EventFigures {
  return Object.fromEntries(
    Object.keys(rounds[0] ?? {}).map((name) => [name, median(rounds.map((figures) => figures[name] ?? NaN))]),
  );
}

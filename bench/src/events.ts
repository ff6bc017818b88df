import { createServer } from 'node:http';
import { post, type Stack } from './stack.js';
import { runFourNodes } from './suite/end-to-end.js';
import { median } from './suite/times.js';

/** Runs of each round. */
const RUNS = 5_000;
const POLL_MS = 100;

/** What rounds with and without an endpoint came to: medians. */
export interface EventFigures {
  readonly label: string;
  readonly runsPerSecond: number;
  readonly microsPerRun: number;
  readonly workerMicrosPerRun: number;
  readonly postgresMicrosPerRun: number;
  /** Events per second from the first run until the last was delivered; 0 without an endpoint. */
  readonly eventsPerSecond: number;
}

/**
 * Measures runs of four nodes as fast as they are accepted: in a workspace without an endpoint, and with one that
 * receives the end of each run, one after the other. Throws when an event was lost.
 */
export async function events(stack: Stack, repeat: number): Promise<EventFigures[]> {
  const received = new Set<string>();
  const server = createServer((request, response) => {
    received.add(String(request.headers['webhook-id']));
    request.resume();
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const url = `http://127.0.0.1:${port}/`;
  const headers = { 'x-api-key': stack.apiKey };
  const round = async (): Promise<Omit<EventFigures, 'label'>> => {
    const startedAt = performance.now();
    const before = received.size;
    const figures = await runFourNodes(stack, { runs: RUNS, workers: [stack.worker] });
    while ((await stack.db.eventDelivery.count({ where: { status: 'pending' } })) > 0) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    console.log(
      `${Math.round(figures['runs/s'] ?? NaN)} runs/s, ${received.size - before} events after ${seconds.toFixed(1)} s`,
    );
    return {
      runsPerSecond: figures['runs/s'] ?? NaN,
      microsPerRun: figures['CPU µs a run'] ?? NaN,
      workerMicrosPerRun: figures['CPU µs a run, worker'] ?? NaN,
      postgresMicrosPerRun: figures['CPU µs a run, PostgreSQL'] ?? NaN,
      eventsPerSecond: (received.size - before) / seconds,
    };
  };
  const [without, withEndpoint]: [Omit<EventFigures, 'label'>[], Omit<EventFigures, 'label'>[]] = [[], []];
  try {
    await round();
    for (let n = 0; n < repeat; n += 1) {
      without.push(await round());
      const body = { workspaceId: stack.workspaceId, url, eventTypes: ['run.succeeded', 'run.failed'] };
      const { id } = await post<{ id: string }>(stack.url, '/api/event-endpoints', body, headers);
      const before = received.size;
      withEndpoint.push(await round());
      if (received.size - before !== RUNS) throw new Error(`${RUNS} runs, ${received.size - before} events`);
      await fetch(`${stack.url}/api/event-endpoints/${id}`, { method: 'DELETE', headers });
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
  const summary = (label: string, rounds: readonly Omit<EventFigures, 'label'>[]): EventFigures => ({
    label,
    runsPerSecond: median(rounds.map(({ runsPerSecond }) => runsPerSecond)),
    microsPerRun: median(rounds.map(({ microsPerRun }) => microsPerRun)),
    workerMicrosPerRun: median(rounds.map(({ workerMicrosPerRun }) => workerMicrosPerRun)),
    postgresMicrosPerRun: median(rounds.map(({ postgresMicrosPerRun }) => postgresMicrosPerRun)),
    eventsPerSecond: median(rounds.map(({ eventsPerSecond }) => eventsPerSecond)),
  });
  return [summary('no endpoint', without), summary('one endpoint', withEndpoint)];
}

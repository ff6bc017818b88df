import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@deckhand/local';
import {
  chain,
  createWorkflow,
  type Instance,
  type Sample,
  scrape,
  spawnApp,
  startInstance,
  startReceiver,
  stopAll,
  type TestApp,
  total,
  until,
} from '../../harness/index.ts';

const TOKEN = 'a-token-of-scrapers';
const RUNS = 5;

/** A process and where it serves its metrics. */
interface Observed {
  readonly app: TestApp;
  readonly metricsUrl: string;
}

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
});
afterAll(stopAll);

async function spawnObserved(kind: 'api' | 'worker'): Promise<Observed> {
  const port = await freePort();
  const app = await spawnApp(kind, {
    DATABASE_URL: instance.databaseUrl,
    REDIS_URL: instance.redis.url,
    METRICS_PORT: String(port),
    METRICS_TOKEN: TOKEN,
  });
  return { app, metricsUrl: `http://127.0.0.1:${port}` };
}

const samplesOf = ({ metricsUrl }: Observed) => scrape(metricsUrl, TOKEN);
const statusOf = async (url: string) => (await fetch(url)).status;

async function execute(api: Observed, workflowId: string): Promise<void> {
  const answer = await fetch(`${api.app.url}/api/workflows/${workflowId}/execute`, {
    method: 'POST',
    headers: { 'x-api-key': instance.key },
  });
  expect(answer.status).toBe(202);
}

describe('the processes', () => {
  let api: Observed;
  let worker: Observed;

  beforeAll(async () => {
    [api, worker] = await Promise.all([spawnObserved('api'), spawnObserved('worker')]);
  });

  it('count their own work', async () => {
    const receiver = await startReceiver();
    const workflowId = await createWorkflow(
      instance,
      chain(
        { id: 'a', type: 'set', parameters: { fields: { n: 1 } } },
        { id: 'b', type: 'http', parameters: { url: receiver.url } },
      ),
    );
    for (let run = 0; run < RUNS; run += 1) await execute(api, workflowId);
    const done = (samples: readonly Sample[]) =>
      total(samples, 'deckhand_runs_finished_total', { status: 'success' }) === RUNS && samples;
    const ofWorker = await until(async () => done(await samplesOf(worker)), 'the count of finished runs');
    const sum = (name: string, labels?: Record<string, string>) => total(ofWorker, name, labels);
    expect({
      set: sum('deckhand_node_runs_total', { type: 'set', status: 'success' }),
      http: sum('deckhand_node_runs_total', { type: 'http', status: 'success' }),
      timedHttp: sum('deckhand_node_duration_seconds_count', { type: 'http' }),
      claims: sum('deckhand_run_wait_seconds_count'),
      ends: sum('deckhand_run_duration_seconds_count', { status: 'success' }),
      checkpoints: sum('deckhand_checkpoints_total', { verdict: 'written' }),
      concurrency: sum('deckhand_worker_concurrency'),
      active: sum('deckhand_worker_active_runs'),
    }).toEqual({
      set: RUNS,
      http: RUNS,
      timedHttp: RUNS,
      claims: RUNS,
      ends: RUNS,
      checkpoints: sum('deckhand_checkpoint_batch_runs_sum'),
      concurrency: 100,
      active: 0,
    });
    // One before each node with effects, one at the end.
    expect(sum('deckhand_checkpoint_batch_runs_sum')).toBeGreaterThanOrEqual(2 * RUNS);

    const ofApi = await samplesOf(api);
    expect(total(ofApi, 'deckhand_runs_accepted_total', { source: 'api' })).toBe(RUNS);
    const route = { method: 'POST', route: '/api/workflows/:id/execute' };
    expect(total(ofApi, 'deckhand_http_requests_total', { ...route, status: '202' })).toBe(RUNS);
    await until(async () => total(await samplesOf(api), 'deckhand_workers', { state: 'consuming' }) === 1);
    for (const samples of [ofApi, ofWorker]) {
      expect(total(samples, 'deckhand_database_pool_connections')).toBeGreaterThan(0);
      expect(total(samples, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
    }
  });

  it('serve metrics to whoever has the token, at a port of their own, and say there how they are', async () => {
    for (const { metricsUrl } of [api, worker]) {
      expect(await statusOf(`${metricsUrl}/metrics`)).toBe(401);
      expect(await statusOf(`${metricsUrl}/healthz`)).toBe(200);
      expect(await statusOf(`${metricsUrl}/readyz`)).toBe(200);
      expect(await statusOf(`${metricsUrl}/api/workspaces`)).toBe(404);
      expect((await fetch(`${metricsUrl}/readyz`, { method: 'POST' })).status).toBe(405);
    }
    expect(await statusOf(`${api.app.url}/metrics`)).toBe(404);
  });

  it('that take over from a dead one count its runs', async () => {
    const receiver = await startReceiver(() => 15_000);
    const workflowId = await createWorkflow(
      instance,
      chain({ id: 'slow', type: 'http', parameters: { url: receiver.url } }),
    );
    await execute(api, workflowId);
    await until(() => receiver.calls.length === 1);
    const heir = await spawnObserved('worker');
    await worker.app.kill();
    await until(() => receiver.calls.length === 2, 'the second try of the node');
    const samples = await samplesOf(heir);
    expect(total(samples, 'deckhand_maintenance_runs_total', { action: 'dead_worker' })).toBe(1);
    expect(total(samples, 'deckhand_worker_active_runs')).toBe(1);
    expect(total(samples, 'deckhand_maintenance_task_seconds_count')).toBeGreaterThan(0);
    await until(async () => total(await samplesOf(api), 'deckhand_workers', { state: 'live' }) === 1);
    // Draining: it takes no more jobs, but is alive.
    const ended = heir.app.kill('SIGTERM');
    await until(async () => (await statusOf(`${heir.metricsUrl}/readyz`)) === 503);
    expect(await statusOf(`${heir.metricsUrl}/healthz`)).toBe(200);
    await heir.app.kill();
    await ended;
  });
});

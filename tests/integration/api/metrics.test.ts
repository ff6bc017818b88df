import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  chain,
  createHook,
  createWorkflow,
  type Instance,
  NEVER_MS,
  type Sample,
  scrape,
  sendHook,
  startGateway,
  startInstance,
  startReceiver,
  startTestWorker,
  stopAll,
  total,
  until,
} from '../../harness/index.ts';

const TOKEN = 'a-token-of-scrapers';
let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
  await startTestWorker(instance);
});
afterAll(stopAll);

const samples = () => scrape(instance.gateway.url);
const series = (all: readonly Sample[], prefix: string) =>
  all.filter(({ name }) => name.startsWith(prefix)).map(({ name, labels }) => JSON.stringify([name, labels]));

/** Sends a request with a method of any name, and reads its answer to the end. */
async function send(method: string, path: string): Promise<number | undefined> {
  const sent = request(instance.gateway.url + path, { method });
  const answer = new Promise<number | undefined>((resolve, reject) =>
    sent
      .on('error', reject)
      .on('response', (response) => void text(response).then(() => resolve(response.statusCode), reject)),
  );
  sent.end();
  return answer;
}

describe('metrics of the API', () => {
  it('count requests by the template of their route, whatever ids, paths, methods and statuses they bring', async () => {
    const { gateway, key } = instance;
    const hook = await createHook(
      instance,
      { responseMode: 'onCompletion' },
      {
        nodes: [{ id: 'end', type: 'terminal', parameters: { statusCode: '{{ $trigger.body.status }}', body: null } }],
      },
    );
    const visit = async (id: string, status: number) => {
      await gateway.call('GET', `/api/executions/${id}`, { as: key });
      await gateway.call('GET', `/nowhere/${id}`);
      await gateway.call('POST', `/api/executions/${id}/stop`);
      await sendHook(gateway, hook.path, {
        body: JSON.stringify({ status }),
        headers: { 'content-type': 'application/json' },
      });
      for (const method of ['PROPFIND', 'PURGE']) await send(method, '/healthz');
    };
    await visit('019aa000-0000-7000-8000-000000000000', 418);
    // A scrape counts the previous one, not itself.
    await samples();
    const before = series(await samples(), 'deckhand_http');
    for (let i = 1; i <= 9; i += 1) await visit(`019aa000-0000-7000-8000-00000000000${i}`, 450 + i);
    const after = await samples();
    expect(series(after, 'deckhand_http').sort()).toEqual(before.sort());
    const count = (labels: Record<string, string>) => total(after, 'deckhand_http_requests_total', labels);
    expect([
      count({ method: 'GET', route: '/api/executions/:id', status: '404' }),
      count({ method: 'GET', route: 'other', status: '404' }),
      count({ method: 'POST', route: '/api/executions/:id/stop', status: '401' }),
      count({ method: 'POST', route: '/webhook/:suffix', status: '4xx' }),
      count({ method: 'other', route: '/healthz', status: '405' }),
    ]).toEqual([10, 10, 10, 10, 20]);
    expect(total(after, 'deckhand_http_request_duration_seconds_count', { route: '/api/executions/:id' })).toBe(10);
  });

  it('say nothing of workspaces, workflows, runs or people', async () => {
    const workflowId = await createWorkflow(instance, chain());
    const { body } = await instance.gateway.call('POST', `/api/workflows/${workflowId}/execute`, { as: instance.key });
    const answer = await fetch(`${instance.gateway.url}/metrics`);
    const said = await answer.text();
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const secret of [workflowId, body.executionId, instance.workspaceId, instance.key, 'Owner', 'Ada', 'Home']) {
      expect(said).not.toContain(secret);
    }
    expect(said).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  });

  it('say how many runs a limit of runs at once holds back', async () => {
    const { gateway, key, workspaceId } = instance;
    const receiver = await startReceiver(() => NEVER_MS);
    const call = { id: 'call', type: 'http', parameters: { url: receiver.url } };
    const workflowId = await createWorkflow(instance, { ...chain(call), settings: { maxConcurrentExecutions: 1 } });
    for (let n = 0; n < 3; n += 1) await gateway.call('POST', `/api/workflows/${workflowId}/execute`, { as: key });
    // They are counted at most every few seconds.
    await until(async () => total(await samples(), 'deckhand_runs_held_back') === 2, 'the count');
    await gateway.call('POST', '/api/executions/stop', { as: key, body: { workspaceId, workflowId } });
  });

  it('count runs where they are accepted and stopped, and say how many are not finished', async () => {
    const workflowId = await createWorkflow(
      instance,
      chain({ id: 'ask', type: 'approval', parameters: { message: 'Well?' } }),
    );
    const before = await samples();
    const { body } = await instance.gateway.call('POST', `/api/workflows/${workflowId}/execute`, { as: instance.key });
    const { executionId } = body;
    await until(async () => {
      const run = await instance.gateway.call('GET', `/api/executions/${executionId}`, { as: instance.key });
      return run.body.status === 'waiting_for_input';
    });
    // Unfinished runs are counted at most every few seconds.
    const waiting = await until(async () => {
      const now = await samples();
      return total(now, 'deckhand_runs', { status: 'waiting_for_input' }) === 1 && now;
    }, 'the count of resting runs');
    await instance.gateway.call('POST', `/api/executions/${executionId}/stop`, { as: instance.key });
    const after = await samples();
    const rise = (late: readonly Sample[], name: string, labels: Record<string, string>) =>
      total(late, name, labels) - total(before, name, labels);
    expect([
      rise(waiting, 'deckhand_runs_accepted_total', { source: 'api' }),
      rise(waiting, 'deckhand_runs_finished_total', { status: 'stopped' }),
      rise(after, 'deckhand_runs_finished_total', { status: 'stopped' }),
    ]).toEqual([1, 0, 1]);
  });

  it('count who waits for a run while they wait', async () => {
    const workflowId = await createWorkflow(
      instance,
      chain({ id: 'ask', type: 'approval', parameters: { message: 'Well?' } }),
    );
    const { body } = await instance.gateway.call('POST', `/api/workflows/${workflowId}/execute`, { as: instance.key });
    const away = new AbortController();
    const stream = await fetch(`${instance.gateway.url}/api/executions/${body.executionId}/events`, {
      headers: { 'x-api-key': instance.key },
      signal: away.signal,
    });
    expect(stream.status).toBe(200);
    await until(async () => total(await samples(), 'deckhand_waiters') === 1);
    expect(total(await samples(), 'deckhand_http_requests_in_flight')).toBe(2);
    away.abort();
    await until(async () => total(await samples(), 'deckhand_waiters') === 0);
    await until(
      async () =>
        total(await samples(), 'deckhand_http_requests_total', {
          route: '/api/executions/:id/events',
          status: 'aborted',
        }) === 1,
    );
  });

  it('are answered while Redis is down, without what Redis would have said', async () => {
    const stores = await startInstance();
    expect(total(await scrape(stores.gateway.url), 'deckhand_queue_oldest_wait_seconds')).toBe(0);
    await stores.redis.stop();
    const left = await until(async () => {
      const now = await scrape(stores.gateway.url);
      return !now.some(({ name }) => name === 'deckhand_queue_jobs') && now;
    });
    expect(left.some(({ name }) => name === 'deckhand_queue_oldest_wait_seconds')).toBe(true);
    expect(total(left, 'deckhand_workers', { state: 'live' })).toBe(0);
  });
});

describe('who may read metrics', () => {
  const status = async (url: string, headers: Record<string, string> = {}) =>
    (await fetch(`${url}/metrics`, { headers })).status;

  it('without a token: whoever is on this machine, nobody through a proxy', async () => {
    const { url } = instance.gateway;
    expect(await status(url)).toBe(200);
    for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
      expect([header, await status(url, { [header]: '10.0.0.7' })]).toEqual([header, 404]);
    }
  });

  it('with a token: whoever sends it, from wherever', async () => {
    const { url } = await startGateway(instance, { env: { METRICS_TOKEN: TOKEN } });
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    expect(await status(url)).toBe(401);
    expect(await status(url, bearer(`${TOKEN}s`))).toBe(401);
    expect(await status(url, bearer(TOKEN.slice(1)))).toBe(401);
    expect(await status(url, { ...bearer(TOKEN), 'x-forwarded-for': '203.0.113.7' })).toBe(200);
  });

  it('with a port of their own: nobody at the port of the API', async () => {
    const { url } = await startGateway(instance, { env: { METRICS_PORT: '0' } });
    expect(await status(url)).toBe(404);
  });
});

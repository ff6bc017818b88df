import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { freePort } from '@deckhand/local';
import {
  chain,
  createTestDatabase,
  itUnless,
  OWNER,
  SETUP,
  spawnApp,
  startTestRedis,
  stopAll,
  type TestApp,
  until,
} from '../../harness/index.ts';

const agent = new Agent({ keepAlive: true });
let env: Record<string, string>;

beforeAll(async () => {
  const database = await createTestDatabase();
  env = { DATABASE_URL: database.url, REDIS_URL: (await startTestRedis()).url };
});
afterAll(async () => {
  agent.destroy();
  await stopAll();
});

/** Starts to send a setup request, and delays its end until the gateway has the beginning. */
async function beginSetup(
  api: TestApp,
  body: string,
): Promise<{ sent: ClientRequest; answer: Promise<IncomingMessage> }> {
  const sent = request(`${api.url}/api/auth/setup`, {
    agent,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), expect: '100-continue' },
  });
  const answer = new Promise<IncomingMessage>((resolve, reject) => sent.on('response', resolve).on('error', reject));
  const begun = new Promise((resolve) => sent.on('continue', resolve));
  sent.flushHeaders();
  await begun;
  return { sent, answer };
}

it('the API and its metrics listen on LISTEN_ADDRESS alone where it is set, else on every address', async () => {
  const metricsPort = await freePort();
  const isServed = (url: string) =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  for (const [address, isElsewhere] of [
    ['127.0.0.1', false],
    ['', true],
  ] as const) {
    const api = await spawnApp('api', { ...env, LISTEN_ADDRESS: address, METRICS_PORT: String(metricsPort) });
    for (const url of [api.url, `http://127.0.0.1:${metricsPort}`]) {
      expect([url, await isServed(url), await isServed(url.replace('127.0.0.1', '127.0.0.2'))]).toEqual([
        url,
        true,
        isElsewhere,
      ]);
    }
    await api.stop();
  }
});

const outside = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
const itFromElsewhere = itUnless(outside === undefined ? 'this machine has no address but loopback' : undefined);

itFromElsewhere('metrics without a token are for this machine alone, with one for whoever sends it', async () => {
  const port = await freePort();
  const TOKEN = 'a-token-of-scrapers';
  const status = async (host: string, path = '/metrics', token = TOKEN) =>
    (await fetch(`http://${host}:${port}${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
  for (const [settings, expected] of [
    [{}, [200, 403, 403, 200]],
    [{ METRICS_TOKEN: TOKEN }, [200, 200, 401, 200]],
  ] as const) {
    const api = await spawnApp('api', { ...env, METRICS_PORT: String(port), ...settings });
    const statuses = [
      await status('127.0.0.1'),
      await status(outside ?? ''),
      await status(outside ?? '', '/metrics', 'another'),
      await status(outside ?? '', '/healthz'),
    ];
    expect(statuses).toEqual(expected);
    await api.stop();
  }
});

it('the log shows a link to the setup, which creates the first owner', async () => {
  const database = await createTestDatabase();
  const api = await spawnApp('api', { ...env, DATABASE_URL: database.url, SETUP_TOKEN: '', LOG_LEVEL: 'warn' });
  const findToken = async () => /setup#([^"]+)"/.exec(await readFile(api.logPath, 'utf8'))?.[1];
  await until(async () => (await findToken()) !== undefined, 'the link in the log');
  const body = JSON.stringify({ ...SETUP, token: await findToken() });
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(`${api.url}/api/auth/setup`, { method: 'POST', headers, body })).status).toBe(201);
  await api.stop();
});

describe('when the API is asked to stop', () => {
  it('answers the requests in progress, accepts no new ones, and exits with 0', async () => {
    const api = await spawnApp('api', env);
    const body = JSON.stringify(SETUP);
    const { sent, answer } = await beginSetup(api, body);
    const ended = api.kill('SIGTERM');
    const isRefused = () =>
      fetch(`${api.url}/healthz`).then(
        () => false,
        () => true,
      );
    await until(isRefused, 'the refusal of new connections');
    sent.end(body);
    const setup = await answer;
    expect([setup.statusCode, JSON.parse(await text(setup))]).toEqual([
      201,
      expect.objectContaining({ token: expect.any(String) }),
    ]);
    await ended;
    expect(await api.ended).toBe('code 0');
  });

  it('whoever follows a run is answered at once with the run as it is', async () => {
    const api = await spawnApp('api', env);
    const { email, password } = OWNER;
    const post = async (path: string, body: object, token = '') => {
      const headers = {
        'content-type': 'application/json',
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      };
      const answer = await fetch(api.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await answer.json()) as Record<string, string>;
    };
    const { token = '' } = await post('/api/auth/login', { email, password });
    const headers = { authorization: `Bearer ${token}` };
    const workspaces = await (await fetch(`${api.url}/api/workspaces`, { headers })).json();
    const [{ workspaceId }] = (workspaces as { data: [{ workspaceId: string }] }).data;
    const definition = chain({ id: 'a', type: 'set', parameters: { fields: {} } });
    const workflow = await post('/api/workflows', { workspaceId, name: 'Test', definition }, token);
    const { executionId } = await post(`/api/workflows/${workflow.id}/execute`, {}, token);
    const waiting = fetch(`${api.url}/api/executions/${executionId}?wait=60`, { headers });
    const stream = await fetch(`${api.url}/api/executions/${executionId}/events`, { headers });
    const ended = api.kill('SIGTERM');
    expect(await (await waiting).json()).toMatchObject({ id: executionId, status: 'pending' });
    expect(await stream.text()).toContain('event: execution');
    await ended;
    expect(await api.ended).toBe('code 0');
  });
});

describe('when a setting is missing or bad', () => {
  it('the API does not start and says all that is wrong on one line', async () => {
    const bad = { DATABASE_URL: 'mysql://x', REDIS_URL: '', PORT: 'eighty', ENCRYPTION_KEY: 'short' };
    const output = await spawnApp('api', bad).then(
      () => 'it started',
      (error: unknown) => (error instanceof Error && 'output' in error ? String(error.output) : String(error)),
    );
    const [line, ...rest] = output.trim().split('\n');
    for (const name of Object.keys(bad)) expect(line).toContain(name);
    expect(rest).toEqual([]);
  });
});

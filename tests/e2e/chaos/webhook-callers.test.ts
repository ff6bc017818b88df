import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Definition } from '@deckhand/contracts';
import { createDatabase, type Database } from '@deckhand/db';
import {
  createTestDatabase,
  hookDefinition,
  SETUP,
  spawnApp,
  startReceiver,
  startTestRedis,
  stopAll,
  stopLater,
  type TestApp,
  until,
} from '../../harness/index.ts';

const CALLERS = 100;
/** Callers of a workflow whose time limit is too short for it. */
const HURRIED = 10;
const WORKERS = 2;

let env: Record<string, string>;
let db: Database;
let api: TestApp;
let workspaceId: string;
let headers: Record<string, string>;

beforeAll(async () => {
  const database = await createTestDatabase();
  db = createDatabase({ url: database.url, poolSize: 2 });
  stopLater({ stop: () => db.$disconnect() });
  env = { DATABASE_URL: database.url, REDIS_URL: (await startTestRedis()).url };
  api = await spawnApp('api', env);
  const setup = await post(`${api.url}/api/auth/setup`, SETUP, {});
  headers = { authorization: `Bearer ${setup.body.token}` };
  const me = await fetch(`${api.url}/api/auth/me`, { headers });
  workspaceId = JSON.parse(await me.text()).workspaces[0].workspaceId;
});
afterAll(stopAll);

async function post(url: string, body: unknown, more: Record<string, string> = headers, method = 'POST') {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...more },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: JSON.parse(await answer.text()) };
}

/** Saves and activates a workflow. @returns its id and its webhook's URL at the API under test. */
async function activate(definition: Definition): Promise<{ workflowId: string; url: string }> {
  const { body } = await post(`${api.url}/api/workflows`, { workspaceId, name: 'Hook', definition });
  await post(`${api.url}/api/workflows/${body.id}`, { status: 'active' }, headers, 'PATCH');
  return { workflowId: body.id, url: api.url + new URL(body.webhooks[0].url).pathname };
}

describe('callers who wait while workers are killed', () => {
  it('get their own answer after the recovery, or a 504 when the time is up', async () => {
    const receiver = await startReceiver((path) => (path === '/late' ? 30_000 : 1_500));
    const call = (path: string): Definition['nodes'] => [
      { id: 'call', type: 'http', parameters: { url: `${receiver.url}/${path}` } },
      { id: 'end', type: 'terminal', parameters: { body: { nonce: '{{ $trigger.body.nonce }}' } } },
    ];
    const parameters = { responseMode: 'onCompletion' };
    const patient = await activate(hookDefinition(parameters, { nodes: call('soon') }));
    const hurried = await activate(
      hookDefinition(parameters, { nodes: call('late'), settings: { timeoutSeconds: 4 } }),
    );
    const workerEnv = { ...env, WORKER_CONCURRENCY: '40' };
    const workers = await Promise.all(Array.from({ length: WORKERS }, () => spawnApp('worker', workerEnv)));

    const ask = async (url: string, nonce: string) => ({ nonce, ...(await post(url, { nonce }, {})) });
    const callers = [
      ...Array.from({ length: CALLERS - HURRIED }, (_, n) => ({ url: patient.url, nonce: `patient ${n}` })),
      ...Array.from({ length: HURRIED }, (_, n) => ({ url: hurried.url, nonce: `hurried ${n}` })),
    ];
    const answers: ReturnType<typeof ask>[] = [];
    for (const [index, victim] of workers.entries()) {
      // In the middle of its own callers, because the earlier ones may have got their responses.
      const calls = receiver.calls.length;
      for (const [n, { url, nonce }] of callers.entries()) if (n % WORKERS === index) answers[n] = ask(url, nonce);
      await until(() => receiver.calls.length > calls, 'a call of a run');
      await victim.kill('SIGKILL');
      workers[index] = await spawnApp('worker', workerEnv);
    }

    const got = await Promise.all(answers);
    const outcomes = got.map(({ status, body, nonce }) =>
      status === 200 ? body.nonce === nonce && 'own answer' : `${status} ${body.code}`,
    );
    expect(outcomes).toEqual([
      ...Array.from({ length: CALLERS - HURRIED }, () => 'own answer'),
      ...Array.from({ length: HURRIED }, () => '504 WEBHOOK_TIMEOUT'),
    ]);
    expect(await db.execution.count({ where: { workflowId: patient.workflowId } })).toBe(CALLERS - HURRIED);
    expect(await db.execution.count({ where: { workflowId: hurried.workflowId } })).toBe(HURRIED);
    process.stdout.write(
      `webhook callers: ${CALLERS} waited, ${WORKERS} workers killed; answered ${CALLERS - HURRIED}, timed out ${HURRIED} as they had to, crossed 0\n`,
    );
    for (const worker of workers) await worker.stop();
  });

  it('get the response of a node before that, once, and the run goes on elsewhere', async () => {
    const receiver = await startReceiver(() => 1_500);
    const hook = await activate(
      hookDefinition(
        { responseMode: 'onCompletion' },
        {
          nodes: [
            { id: 'reply', type: 'respond', parameters: { body: { nonce: '{{ $trigger.body.nonce }}' } } },
            { id: 'call', type: 'http', parameters: { url: `${receiver.url}/soon` } },
            { id: 'end', type: 'terminal', parameters: { body: 'the result' } },
          ],
        },
      ),
    );
    const worker = await spawnApp('worker', { ...env, WORKER_CONCURRENCY: '40' });
    const nonces = Array.from({ length: 30 }, (_, n) => `nonce-${n}`);
    const askAll = () =>
      Promise.all(
        nonces.map(async (nonce) => (await post(hook.url, { nonce }, { 'idempotency-key': nonce })).body.nonce),
      );
    expect(await askAll()).toEqual(nonces);
    await until(() => receiver.calls.length > 0, 'a call of a run');
    await worker.kill('SIGKILL');
    const another = await spawnApp('worker', { ...env, WORKER_CONCURRENCY: '40' });
    const where = { workflowId: hook.workflowId };
    await until(async () => (await db.execution.count({ where: { ...where, status: 'success' } })) === nonces.length);
    expect(await askAll()).toEqual(nonces);
    expect(await db.execution.count({ where: { ...where, respondedBy: 'reply/' } })).toBe(nonces.length);
    await another.stop();
  });
});

/** Returns the resident memory of a process, in bytes. */
async function rssOf({ pid }: TestApp): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}

function open(url: URL): Socket {
  return connect(Number(url.port), url.hostname).on('error', () => undefined);
}

/** Sends a body with or without a length, until the service refuses it. @returns the first line of the response. */
async function flood(url: URL, { isChunked }: { isChunked: boolean }): Promise<string> {
  const megabyte = Buffer.alloc(1_000_000, 'x');
  const socket = open(url);
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve('')));
  const answered = new Promise<string>((resolve) => {
    socket.once('data', (data) => resolve(String(data).split('\r\n')[0] ?? ''));
  });
  const length = isChunked ? 'Transfer-Encoding: chunked' : 'Content-Length: 100000000';
  socket.write(`POST ${url.pathname} HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n${length}\r\n\r\n`);
  for (let sent = 0; sent < 100 && socket.writable; sent += 1) {
    if (isChunked) socket.write(`${megabyte.length.toString(16)}\r\n`);
    const isFull = !socket.write(megabyte);
    if (isChunked) socket.write('\r\n');
    if (isFull) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
  }
  const status = await Promise.race([answered, closed]);
  socket.destroy();
  return status;
}

describe('senders of too much', () => {
  it('are refused, and leave the memory of the gateway as it was', async () => {
    const { workflowId, url } = await activate(hookDefinition({}));
    const target = new URL(url);
    const round = async (): Promise<string[]> => {
      const kinds = Array.from({ length: 20 }, (_, n) => flood(target, { isChunked: n % 2 === 0 }));
      // They start a request and then send nothing.
      const idle = Array.from({ length: 300 }, () => {
        const socket = open(target);
        socket.write(`POST ${target.pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\nx`);
        return socket;
      });
      const statuses = await Promise.all(kinds);
      for (const socket of idle) socket.destroy();
      return statuses;
    };
    // A 503 is for the largest of too many bodies at once; '' for a connection that was closed before.
    const refusals = ['HTTP/1.1 413 Payload Too Large', 'HTTP/1.1 503 Service Unavailable', ''];
    await round();
    const before = await rssOf(api);
    for (let n = 0; n < 5; n += 1) {
      for (const status of await round()) expect(refusals).toContain(status);
    }
    const grown = (await rssOf(api)) - before;
    process.stdout.write(
      `webhook floods: 100 bodies of 100 MB refused, memory grown by ${Math.round(grown / 1e6)} MB\n`,
    );
    expect(grown).toBeLessThan(100_000_000);
    expect(await db.execution.count({ where: { workflowId } })).toBe(0);
    expect((await post(url, {}, {})).status).toBe(200);
  });
});

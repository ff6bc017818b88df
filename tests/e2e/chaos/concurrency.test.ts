import { type Definition, type JsonObject, parseOwnJson } from '@deckhand/contracts';
import { createDatabase, type Database } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  chain,
  createTestDatabase,
  SETUP,
  type ReceivedCall,
  spawnApp,
  startReceiver,
  startTestRedis,
  stopAll,
  stopLater,
  type TestApp,
  until,
  untilCount,
  type ResponseBody,
} from '../../harness/index.ts';

/** Number of runs in the burst: more than one statement takes (1,000). */
const RUNS = 1_200;
/** Number of concurrent requests that start them. */
const STARTERS = 20;
const LIMIT = 3;

let env: Record<string, string>;
let db: Database;
let api: TestApp;
let workers: TestApp[];
let session: string;
let workspaceId: string;

beforeAll(async () => {
  const database = await createTestDatabase();
  const redis = await startTestRedis();
  env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  db = createDatabase({ url: database.url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  api = await spawnApp('api', env);
  workers = [await spawnApp('worker', env), await spawnApp('worker', env)];
  ({ token: session } = await call('POST', '/api/auth/setup', SETUP));
  workspaceId = (await call('GET', '/api/auth/me')).workspaces[0]!.workspaceId;
});
afterAll(stopAll);

async function call<Method extends string, Path extends string>(method: Method, path: Path, body?: object) {
  const response = await fetch(api.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...(session ? { authorization: `Bearer ${session}` } : {}) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return parseOwnJson<ResponseBody<Method, Path>>(text);
}

async function create(definition: Definition, maxConcurrentExecutions?: number, inWorkspace = workspaceId) {
  const settings = maxConcurrentExecutions === undefined ? {} : { maxConcurrentExecutions };
  return call('POST', '/api/workflows', {
    workspaceId: inWorkspace,
    name: 'Test',
    definition: { ...definition, settings },
  });
}

const post = (id: string, url: string, body: JsonObject = {}) => ({
  id,
  type: 'http',
  parameters: { method: 'POST', url, body },
});
const count = (workflowId: string, where: object = {}) => db.execution.count({ where: { workflowId, ...where } });
const keysOf = (calls: readonly ReceivedCall[]) => new Set(calls.map(({ idempotencyKey }) => idempotencyKey));

describe('a burst of runs of a workflow with a limit', () => {
  it('never runs more at the same time on two workers, loses none, runs none twice, and delays nobody else', async () => {
    // Long enough for calls to meet at the receiver on a busy machine.
    const receiver = await startReceiver(() => 20);
    const otherReceiver = await startReceiver(() => 2);
    const { id } = await create(chain(post('call', receiver.url)), LIMIT);
    const others = await call('POST', '/api/workspaces', { name: 'Others' });
    const other = await create(chain(post('call', otherReceiver.url)), undefined, others.id);

    const starter = async (): Promise<void> => {
      for (let n = 0; n < RUNS / STARTERS; n += 1) await call('POST', `/api/workflows/${id}/execute`);
    };
    await Promise.all(Array.from({ length: STARTERS }, starter));
    const { executionId } = await call('POST', `/api/workflows/${other.id}/execute`);
    const startedAt = Date.now();
    const run = await call('GET', `/api/executions/${executionId}?wait=60`);
    const left = await count(id, { status: 'pending' });
    expect(run.status).toBe('success');
    expect(left).toBeGreaterThan(RUNS / 10);
    process.stdout.write(
      `another workspace's run took ${Date.now() - startedAt} ms, while ${left} runs were held back\n`,
    );

    await untilCount(() => count(id, { status: 'success' }), RUNS, 'runs of the burst that ended');
    process.stdout.write(`${RUNS} runs, ${LIMIT} at once, in ${Date.now() - startedAt} ms\n`);
    expect([receiver.calls.length, keysOf(receiver.calls).size]).toEqual([RUNS, RUNS]);
    // Counted where all calls arrive: the times that two workers record differ by milliseconds.
    expect(receiver.inFlightMax()).toBeLessThanOrEqual(LIMIT);
  });
});

describe('a workflow with a limit that starts itself', () => {
  it('through its own webhook, twice a run, ends with no more than the limit in progress', async () => {
    const receiver = await startReceiver(() => 5);
    const depth = 6;
    // Its URL is known once it is saved, and is then saved into it.
    const hook = { id: 'hook', type: 'trigger.webhook', parameters: { responseMode: 'immediately' } };
    const { id, webhooks } = await create({ nodes: [hook], edges: [] });
    const url = api.url + new URL(webhooks[0]!.url).pathname;
    const again = (node: string) => post(node, url, { depth: '{{ $trigger.body.depth + 1 }}' });
    await call('POST', `/api/workflows/${id}/versions`, {
      definition: {
        nodes: [
          hook,
          post('call', receiver.url),
          { id: 'more', type: 'if', parameters: { condition: `{{ $trigger.body.depth < ${depth} }}` } },
          again('left'),
          again('right'),
        ],
        edges: [
          { source: 'hook', target: 'call' },
          { source: 'call', target: 'more' },
          { source: 'more', sourceHandle: 'true', target: 'left' },
          { source: 'more', sourceHandle: 'true', target: 'right' },
        ],
        settings: { maxConcurrentExecutions: 2 },
      },
    });
    await call('PATCH', `/api/workflows/${id}`, { status: 'active' });
    const first = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ depth: 0 }),
    });
    expect(first.status).toBe(200);
    const all = 2 ** (depth + 1) - 1;
    await untilCount(() => count(id, { status: 'success' }), all, 'runs of all generations that ended');
    expect(await count(id)).toBe(all);
    expect([receiver.calls.length, keysOf(receiver.calls).size]).toEqual([all, all]);
    expect(receiver.inFlightMax()).toBeLessThanOrEqual(2);
  });
});

describe('a worker that dies with all slots of a limit', () => {
  it('leaves them to others once it is found dead, and the limit holds', async () => {
    const receiver = await startReceiver((path) => (path === '/slow' ? 700 : 20));
    const { id } = await create(
      chain(post('slow', `${receiver.url}/slow`), post('fast', `${receiver.url}/{{ $execution.id }}`)),
      2,
    );
    const runs = 12;
    for (let n = 0; n < runs; n += 1) await call('POST', `/api/workflows/${id}/execute`);
    const holder = await until(async () => {
      const held = await db.execution.findMany({ where: { workflowId: id, workerId: { not: null } } });
      return held.length === 2 && workers.find((worker) => worker.output().includes(held[0]?.workerId ?? '-'));
    });
    await holder.kill('SIGKILL');
    await untilCount(() => count(id, { status: 'success' }), runs, 'runs that ended');
    expect(receiver.inFlightMax()).toBeLessThanOrEqual(2);
    const ends = receiver.calls.filter(({ path }) => path !== '/slow').map(({ path }) => path);
    expect([ends.length, new Set(ends).size]).toEqual([runs, runs]);
    // Calls that the dead worker had in flight are repeated with the same key; no others are.
    const slow = receiver.calls.filter(({ path }) => path === '/slow');
    expect(keysOf(slow).size).toBe(runs);
    expect(slow.length).toBeLessThanOrEqual(runs + 2);
  });
});

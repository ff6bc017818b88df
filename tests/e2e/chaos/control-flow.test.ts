import { createDatabase, type Database } from '@deckhand/db';
import { connectRedis, createRunQueue, type RunQueue } from '@deckhand/queue';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  createTestDatabase,
  seedWorkflow,
  spawnApp,
  startReceiver,
  startTestRedis,
  stopAll,
  stopLater,
  type TestApp,
  until,
} from '../../harness/index.ts';
import { edges } from '../../harness/engine.ts';

let env: Record<string, string>;
let db: Database;
let queue: RunQueue;

beforeAll(async () => {
  const database = await createTestDatabase();
  const redis = await startTestRedis();
  env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  db = createDatabase({ url: database.url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  const connection = connectRedis(redis.url, { role: 'producer' });
  await until(() => connection.status === 'ready');
  queue = createRunQueue(connection);
  stopLater({
    stop: async () => {
      await queue.close();
      connection.disconnect();
    },
  });
});
afterAll(stopAll);

const start = { id: 'start', type: 'trigger.manual' };
const statusOf = async (id: string) => (await db.execution.findUniqueOrThrow({ where: { id } })).status;

async function holderOf(id: string, workers: readonly TestApp[]): Promise<TestApp> {
  const { workerId } = await db.execution.findUniqueOrThrow({ where: { id } });
  const holder = workers.find((worker) => workerId !== null && worker.output().includes(workerId));
  if (!holder) throw new Error('no worker holds the run');
  return holder;
}

it('a run whose worker is killed keeps its lock, and each of those who wait gets it once', async () => {
  const workers = [await spawnApp('worker', env), await spawnApp('worker', env)];
  const receiver = await startReceiver(() => 300);
  const { accept, workspaceId } = await seedWorkflow(db, {
    nodes: [
      start,
      { id: 'lock', type: 'lock', parameters: { key: 'account' } },
      { id: 'inside', type: 'http', parameters: { url: `${receiver.url}/{{ $trigger.run }}`, method: 'POST' } },
    ],
    edges: edges('start -> lock', 'lock -> inside'),
  });
  const ids: string[] = [];
  for (let run = 0; run < 6; run += 1) ids.push(await accept({ run }));
  await queue.add(ids.map((executionId) => ({ workspaceId, executionId, dispatch: 1 })));
  await until(() => receiver.calls.length >= 2, 'the second call');
  const { path } = receiver.calls.at(-1) ?? { path: '' };
  await (await holderOf(ids[Number(path.slice(1))] ?? '', workers)).kill('SIGKILL');
  for (const id of ids) await until(async () => (await statusOf(id)) === 'success', 'the end of a run');

  // The receiver notices when a caller dies, so the call that is repeated is none at the same time.
  expect(receiver.inFlightMax()).toBe(1);
  expect(new Set(receiver.calls.map((call) => call.path)).size).toBe(6);
  const repeated = receiver.calls.length - 6;
  expect(repeated).toBeLessThanOrEqual(1);
  process.stdout.write(`6 runs with one lock, a worker killed: ${repeated} call repeated, never two at once\n`);
  for (const worker of workers) await worker.stop();
});

it('a run whose worker is killed does not ask a branch again that lost before', async () => {
  const workers = [await spawnApp('worker', env), await spawnApp('worker', env)];
  const receiver = await startReceiver((path) => ({ '/slow': 600_000, '/after': 1_000 })[path] ?? 0);
  const http = (id: string) => ({ id, type: 'http', parameters: { url: `${receiver.url}/${id}`, method: 'POST' } });
  const { accept, workspaceId } = await seedWorkflow(db, {
    nodes: [
      start,
      http('slow'),
      http('fast'),
      { id: 'join', type: 'merge', parameters: { mode: 'any' } },
      http('after'),
    ],
    edges: edges('start -> slow', 'start -> fast', 'slow -> join', 'fast -> join', 'join -> after'),
  });
  const id = await accept();
  await queue.add([{ workspaceId, executionId: id, dispatch: 1 }]);
  await until(() => receiver.calls.some(({ path }) => path === '/after'), 'the call after the join');
  await (await holderOf(id, workers)).kill('SIGKILL');
  await until(async () => (await statusOf(id)) === 'success', 'the end of the run');
  const paths = receiver.calls.map(({ path }) => path);
  expect(paths.filter((path) => path === '/slow')).toHaveLength(1);
  expect(paths.filter((path) => path === '/fast')).toHaveLength(1);
  const rows = await db.nodeRun.findMany({ where: { executionId: id } });
  expect(Object.fromEntries(rows.map(({ nodeId, status }) => [nodeId, status]))).toEqual({
    ...{ start: 'success', slow: 'stopped', fast: 'success', join: 'success', after: 'success' },
  });
  for (const worker of workers) await worker.stop();
});

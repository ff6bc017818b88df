import { createDatabase, type Database, stopExecution } from '@deckhand/db';
import type { LocalRedis } from '@deckhand/local';
import { connectRedis, createRunQueue, type RunQueue } from '@deckhand/queue';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  chain,
  createTestDatabase,
  expectWithin,
  itInTime,
  promised,
  seedWorkflow,
  spawnApp,
  startReceiver,
  startTestRedis,
  stopAll,
  stopLater,
  type TestApp,
  until,
} from '../../harness/index.ts';

const NODES = 10;
/** Duration of a call of a run whose worker is asked to stop. */
const CALL_MS = 200;

let env: Record<string, string>;
let db: Database;
let redis: LocalRedis;
let queue: RunQueue;

beforeAll(async () => {
  const database = await createTestDatabase();
  redis = await startTestRedis();
  env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  db = createDatabase({ url: database.url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  const connection = connectRedis(redis.url, { role: 'producer' });
  connection.on('error', () => undefined);
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

const statusOf = async (id: string) => (await db.execution.findUniqueOrThrow({ where: { id } })).status;

/** A chain of http nodes, each a call to a path of its own, and the run of it. */
async function startChain(delayMs: number) {
  const receiver = await startReceiver(() => delayMs);
  const nodes = Array.from({ length: NODES }, (_, i) => ({
    id: `n${i}`,
    type: 'http',
    parameters: { url: `${receiver.url}/n${i}`, method: 'POST', body: { i } },
  }));
  const seed = await seedWorkflow(db, chain(...nodes));
  const id = await seed.accept();
  await queue.add([{ workspaceId: seed.workspaceId, executionId: id, dispatch: 1 }]);
  return { receiver, id };
}

function callsByPath(calls: readonly { path: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { path } of calls) counts[path] = (counts[path] ?? 0) + 1;
  return counts;
}

describe('when a worker dies in the middle of a run', () => {
  itInTime('another finishes it, and only the node in flight is called again, with the same key', async () => {
    const workers = [await spawnApp('worker', env), await spawnApp('worker', env)];
    const { receiver, id } = await startChain(100);
    await until(() => receiver.calls.length >= 4, 'the fourth call');
    const holder = await holderOf(id, workers);
    await holder.kill('SIGKILL');
    const diedAt = Date.now();
    await until(async () => (await statusOf(id)) === 'success', 'the end of the run');

    const counts = callsByPath(receiver.calls);
    const repeated = Object.entries(counts).filter(([, count]) => count > 1);
    expect(Object.keys(counts)).toHaveLength(NODES);
    expect(repeated.length).toBeLessThanOrEqual(1);
    for (const [path, count] of repeated) {
      expect(count).toBe(2);
      expect(new Set(receiver.calls.filter((call) => call.path === path).map((call) => call.idempotencyKey)).size).toBe(
        1,
      );
    }
    const takenOverAt = receiver.calls.find(({ at }) => at > diedAt)?.at ?? Infinity;
    for (const worker of workers) await worker.stop();
    expectWithin(promised('a worker is killed'), takenOverAt - diedAt);
  });
});

describe('when a worker freezes for longer than its heartbeat lives', () => {
  it('another continues; when it thaws it writes nothing of that run, and takes new ones', async () => {
    const workers = [await spawnApp('worker', env), await spawnApp('worker', env)];
    const { receiver, id } = await startChain(100);
    await until(() => receiver.calls.length >= 4, 'the fourth call');
    const frozen = await holderOf(id, workers);
    process.kill(frozen.pid, 'SIGSTOP');
    await until(async () => (await statusOf(id)) === 'success', 'the end of the run');
    const finished = await db.execution.findUniqueOrThrow({ where: { id } });
    const nodeRuns = await db.nodeRun.findMany({ where: { executionId: id }, orderBy: { nodeId: 'asc' } });
    process.kill(frozen.pid, 'SIGCONT');
    for (const worker of workers) if (worker !== frozen) await worker.stop();

    // Only the thawed worker is left: it has noticed that it is fenced by the time it has run another run.
    const next = await startChain(0);
    await until(async () => (await statusOf(next.id)) === 'success', 'the end of another run');
    expect(await db.execution.findUniqueOrThrow({ where: { id } })).toEqual(finished);
    expect(await db.nodeRun.findMany({ where: { executionId: id }, orderBy: { nodeId: 'asc' } })).toEqual(nodeRuns);
    expect(Object.values(callsByPath(receiver.calls)).filter((count) => count > 1).length).toBeLessThanOrEqual(1);
    await frozen.stop();
  });
});

describe('when a worker is asked to stop', () => {
  itInTime('the node in flight finishes, others continue with the rest at once, and it exits with 0', async () => {
    const first = await spawnApp('worker', env);
    const { receiver, id } = await startChain(CALL_MS);
    await until(() => receiver.calls.length >= 3, 'the third call');
    const second = await spawnApp('worker', env);
    await first.stop();
    expect(await first.ended).toBe('code 0');
    await until(async () => (await statusOf(id)) === 'success', 'the end of the run');
    expect(Object.values(callsByPath(receiver.calls))).toEqual(Array.from({ length: NODES }, () => 1));
    await second.stop();
    const times = receiver.calls.map(({ at }) => at);
    const longest = Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? at)));
    expectWithin(promised('a worker is stopped (SIGTERM)'), longest - CALL_MS);
  });
});

describe('when a run is stopped after its worker died', () => {
  it('no node of it starts any more, however long the recovery is waited for', async () => {
    const first = await spawnApp('worker', env);
    const [stopped, other] = [await startChain(200), await startChain(200)];
    await until(() => Math.min(stopped.receiver.calls.length, other.receiver.calls.length) >= 3, 'the calls');
    await first.kill('SIGKILL');
    const { workspaceId } = await db.execution.findUniqueOrThrow({ where: { id: stopped.id } });
    const { userId } = await db.membership.findFirstOrThrow({ where: { workspaceId } });
    await stopExecution(db, { userId, boundTo: null }, stopped.id);
    const calls = stopped.receiver.calls.length;
    const state = async () => ({
      run: await db.execution.findUniqueOrThrow({ where: { id: stopped.id } }),
      nodes: await db.nodeRun.findMany({ where: { executionId: stopped.id }, orderBy: { nodeId: 'asc' } }),
    });
    const before = await state();
    const second = await spawnApp('worker', env);

    // The other run of the dead worker continued, so the stopped one had its chance too.
    await until(async () => (await statusOf(other.id)) === 'success', 'the end of the other run');
    expect(stopped.receiver.calls.length).toBe(calls);
    expect(await state()).toEqual(before);
    await second.stop();
  });
});

describe('when Redis loses everything', () => {
  itInTime('pending runs are dispatched again and none is lost', async () => {
    const seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } }));
    const ids = await Promise.all(Array.from({ length: 50 }, () => seed.accept()));
    await queue.add(ids.map((executionId) => ({ workspaceId: seed.workspaceId, executionId, dispatch: 1 })));
    await redis.restart();
    const worker = await spawnApp('worker', env);
    const readyAt = Date.now();
    const success = () => db.execution.count({ where: { workflowId: seed.workflowId, status: 'success' } });
    await until(async () => (await success()) === ids.length, 'the end of all runs');
    await worker.stop();
    const { _max: last } = await db.execution.aggregate({
      where: { workflowId: seed.workflowId },
      _max: { finishedAt: true },
    });
    expectWithin(promised('Redis is emptied'), Number(last.finishedAt) - readyAt);
  });
});

async function holderOf(id: string, workers: readonly TestApp[]): Promise<TestApp> {
  const { workerId } = await db.execution.findUniqueOrThrow({ where: { id } });
  const holder = workers.find((worker) => workerId !== null && worker.output().includes(workerId));
  if (!holder) throw new Error('no worker holds the run');
  return holder;
}

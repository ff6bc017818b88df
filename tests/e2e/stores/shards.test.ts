import { connectRedis, createRunQueue, type RunQueue, shardOf } from '@deckhand/queue';
import type { LocalRedis } from '@deckhand/local';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  chain,
  type Instance,
  startInstance,
  startStores,
  startTestRedis,
  startTestWorker,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';

const RUNS = 20;

let second: LocalRedis;
let shardUrls: [string, string];
let instance: Instance;
/** The queues of both shards, and a workflow of one workspace in each. */
let queues: [RunQueue, RunQueue];
let workflows: [string, string];

const call: Instance['gateway']['call'] = (method, path, options) =>
  instance.gateway.call(method, path, { as: instance.session, ...options });

const start = (shard: 0 | 1) => call('POST', `/api/workflows/${workflows[shard]}/execute`, { body: {} });

const startMany = async (shard: 0 | 1) => {
  const answers = await Promise.all(Array.from({ length: RUNS }, () => start(shard)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
};

const succeeded = (shard: 0 | 1) =>
  instance.db.execution.count({ where: { workflowId: workflows[shard], status: 'success' } });

const startShardWorker = (shard: 0 | 1) => startTestWorker(instance, { shardUrls, shard, mayRecover: true });

beforeAll(async () => {
  const stores = await startStores();
  second = await startTestRedis();
  shardUrls = [stores.redis.url, second.url];
  instance = await startInstance(stores, { shardUrls });
  queues = [openQueue(shardUrls[0]), openQueue(shardUrls[1])];
  workflows = [await workflowOf(0), await workflowOf(1)];
});
afterAll(stopAll);

function openQueue(url: string): RunQueue {
  const redis = connectRedis(url, { role: 'producer' });
  redis.on('error', () => undefined);
  const queue = createRunQueue(redis);
  stopLater({
    async stop() {
      await queue.close();
      redis.disconnect();
    },
  });
  return queue;
}

/** Saves a workflow in a workspace of this shard. */
async function workflowOf(shard: number): Promise<string> {
  for (;;) {
    const { body } = await call('POST', '/api/workspaces', { body: { name: `Shard ${shard}` } });
    if (shardOf(body.workspaceId, 2) !== shard) continue;
    const definition = chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } });
    const saved = await call('POST', '/api/workflows', {
      body: { workspaceId: body.workspaceId, name: 'Test', definition },
    });
    expect(saved.status).toBe(201);
    return saved.body.id;
  }
}

describe('two shards of the queue over one database', () => {
  it('have the jobs of their own workspaces, and workers take those of their shard', async () => {
    const worker = await startShardWorker(0);
    await Promise.all([startMany(0), startMany(1)]);
    await until(async () => (await succeeded(0)) === RUNS, 'the runs of the first shard');
    expect(await succeeded(1)).toBe(0);
    expect((await queues[1].counts()).waiting).toBeGreaterThan(0);
    expect((await queues[0].counts()).waiting).toBe(0);
    const fleet = await call('GET', '/api/monitoring/fleet');
    expect(fleet.body.queue?.waiting).toBe((await queues[1].counts()).waiting);

    const other = await startShardWorker(1);
    await until(async () => (await succeeded(1)) === RUNS, 'the runs of the second shard');
    const both = await until(async () => {
      const { body } = await call('GET', '/api/monitoring/fleet');
      return body.workers.live === 2 && body;
    });
    expect(both.queue?.waiting).toBe(0);
    await other.stop();
    await worker.stop();
  });

  it('lose their jobs apart: maintenance, on a worker of another shard, queues them again', async () => {
    const before = await succeeded(1);
    const worker = await startShardWorker(0);
    await startMany(1);
    const redis = connectRedis(second.url, { role: 'producer' });
    await until(() => redis.status === 'ready');
    await redis.flushall();
    redis.disconnect();
    await until(async () => (await queues[1].counts()).waiting > 0, 'jobs for the runs without one');
    // It is found dead or alive by heartbeats of the whole fleet, so it loses no runs to the holder of the lease.
    const other = await startShardWorker(1);
    await until(async () => (await succeeded(1)) === before + RUNS, 'the runs of the second shard');
    const where = { workflowId: workflows[1], status: 'success' } as const;
    expect((await instance.db.execution.findMany({ where })).every(({ epoch }) => epoch === 1)).toBe(true);
    await other.stop();
    await worker.stop();
  });

  it('fail apart: without the second Redis, runs of the first shard start and finish; with it, its own do', async () => {
    const before = await succeeded(0);
    const worker = await startShardWorker(0);
    await second.kill();
    expect((await start(1)).status).toBe(503);
    await startMany(0);
    await until(async () => (await succeeded(0)) === before + RUNS, 'the runs of the first shard');
    await second.restart();
    await until(async () => (await start(1)).status === 202, 'an accepted run of the second shard');
    await worker.stop();
  });
});

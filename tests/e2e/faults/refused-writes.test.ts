import {
  connectRedis,
  createRunQueue,
  HEARTBEAT_LIFETIME_MS,
  readFleet,
  type Redis,
  type RunQueue,
} from '@deckhand/queue';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  chain,
  seedWorkflow,
  startStores,
  startTestWorker,
  stopAll,
  stopLater,
  type Stores,
  until,
} from '../../harness/index.ts';
import { serve } from '../../harness/serve.ts';

const RUNS = 20;

let stores: Stores;
let redis: Redis;
let queue: RunQueue;

beforeAll(async () => {
  stores = await startStores();
  redis = connectRedis(stores.redis.url, { role: 'producer' });
  stopLater({
    async stop() {
      await queue.close();
      redis.disconnect();
    },
  });
  await until(() => redis.status === 'ready');
  queue = createRunQueue(redis);
  await Promise.all([startTestWorker(stores), startTestWorker(stores), startTestWorker(stores)]);
  await until(async () => (await readFleet(redis)).filter(({ state }) => state === 'consuming').length === 3);
});
afterAll(stopAll);

describe('workers while Redis takes no writes for longer than heartbeats live', () => {
  it.each([
    ['maxmemory', '1', '0', /^OOM/],
    ['min-replicas-to-write', '1', '0', /^NOREPLICAS/],
  ])('are not taken for dead afterwards: %s', async (setting, refusing, taking, refusal) => {
    const answers: (() => void)[] = [];
    const receiver = await serve((_request, response) => {
      answers.push(() => response.end());
    });
    const seed = await seedWorkflow(stores.db, chain({ id: 'call', type: 'http', parameters: { url: receiver.url } }));
    const ids = await Promise.all(Array.from({ length: RUNS }, () => seed.accept()));
    await queue.add(ids.map((executionId) => ({ workspaceId: seed.workspaceId, executionId, dispatch: 1 })));
    await until(() => answers.length === RUNS, 'the calls of all runs');

    await redis.call('CONFIG', 'SET', setting, refusing);
    await expect(redis.set('probe', '1')).rejects.toThrow(refusal);
    await until(
      async () => (await readFleet(redis)).every(({ silentForMs }) => silentForMs > 2 * HEARTBEAT_LIFETIME_MS),
      'heartbeats that are long dead',
    );
    await redis.call('CONFIG', 'SET', setting, taking);
    const restoredAt = performance.now();
    // Long enough for a reader to take a live worker for dead.
    await until(
      async () =>
        performance.now() - restoredAt > 2 * HEARTBEAT_LIFETIME_MS &&
        (await readFleet(redis)).every(({ isLive }) => isLive),
      'heartbeats in time',
    );
    const runs = await stores.db.execution.findMany({ where: { workflowId: seed.workflowId } });
    expect(new Set(runs.map(({ status, epoch, dispatchSeq }) => `${status} ${epoch} ${dispatchSeq}`))).toEqual(
      new Set(['running 1 1']),
    );
    for (const answer of answers) answer();
    const done = () => stores.db.execution.count({ where: { workflowId: seed.workflowId, status: 'success' } });
    await until(async () => (await done()) === RUNS, 'the end of all runs');
    expect(answers).toHaveLength(RUNS);
  });
});

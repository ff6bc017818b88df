import { join } from 'node:path';
import { connectRedis, createRunQueue, type RunQueue } from '@deckhand/queue';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  chain,
  expectWithin,
  type Instance,
  promised,
  seedWorkflow,
  spawnApp,
  startInstance,
  startReceiver,
  stopAll,
  stopLater,
  timed,
  until,
} from '../../harness/index.ts';

const THROWING = ['--import', join(import.meta.dirname, '../../harness/throw-on-marker.mjs')];

let instance: Instance;
let queue: RunQueue;

beforeAll(async () => {
  instance = await startInstance();
  const redis = connectRedis(instance.redis.url, { role: 'producer' });
  redis.on('error', () => undefined);
  await until(() => redis.status === 'ready');
  queue = createRunQueue(redis);
  stopLater({
    stop: async () => {
      await queue.close();
      redis.disconnect();
    },
  });
});
afterAll(stopAll);

const read = (id: string) => instance.db.execution.findUniqueOrThrow({ where: { id } });

it.each(['error', 'rejection'])(
  'an uncaught %s of a run’s code fails that run, and neither its neighbours nor its worker',
  timed(async (throwAs) => {
    const worker = await spawnApp(
      'worker',
      { DATABASE_URL: instance.databaseUrl, REDIS_URL: instance.redis.url },
      { nodeArgs: THROWING },
    );
    const receiver = await startReceiver(
      (path) => (path === '/neighbour' || path === '/blockingRun-next' ? 1_000 : 0),
      {
        body: (path) => (path === '/blockingRun' ? { throwAs } : {}),
      },
    );
    const start = async (path: string): Promise<string> => {
      const call = { id: 'call', type: 'http', parameters: { url: receiver.url + path, method: 'POST' } };
      // By the time of the error, the run has not ended by itself.
      const next = { ...call, id: 'next', parameters: { ...call.parameters, url: `${receiver.url}${path}-next` } };
      const { workspaceId, accept } = await seedWorkflow(instance.db, chain(call, next));
      const executionId = await accept();
      await queue.add([{ workspaceId, executionId, dispatch: 1 }]);
      return executionId;
    };
    const neighbour = await start('/neighbour');
    await until(() => receiver.calls.length === 1, 'the call of the neighbour');
    const blockingRun = await start('/blockingRun');
    await until(async () => (await read(blockingRun)).status === 'failed', 'the end of the blockingRun');
    expect(JSON.parse((await read(blockingRun)).error ?? '')).toMatchObject({ code: 'UNCAUGHT_ERROR' });
    await until(async () => (await read(neighbour)).status === 'success', 'the end of the neighbour');
    const later = await start('/later');
    await until(async () => (await read(later)).status === 'success', 'the end of a later run');
    expect(worker.output()).toContain('failed a run because of an uncaught error');
    await worker.stop();
    const thrownAt = receiver.calls.find(({ path }) => path === '/blockingRun')?.at ?? -Infinity;
    expectWithin(
      promised("a run's code, or a driver on its behalf,"),
      Number((await read(blockingRun)).finishedAt) - thrownAt,
    );
  }),
);

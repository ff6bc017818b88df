import { afterAll, expect } from '@jest/globals';
import {
  createWorkflow,
  expectWithin,
  itInTime,
  promised,
  spawnApp,
  startInstance,
  startTcpProxy,
  stopAll,
  until,
} from '../../harness/index.ts';

afterAll(stopAll);

const POOL_SIZE = 2;

itInTime(
  'an API whose connections to PostgreSQL all became silent replaces them, and responds to everyone',
  async () => {
    const instance = await startInstance();
    const workflowId = await createWorkflow(instance);
    const proxy = await startTcpProxy(instance.databaseUrl);
    const { url } = await spawnApp('api', {
      DATABASE_URL: proxy.url,
      REDIS_URL: instance.redis.url,
      DATABASE_POOL_SIZE: String(POOL_SIZE),
    });
    const read = async (): Promise<number> =>
      (await fetch(`${url}/api/workflows/${workflowId}`, { headers: { 'x-api-key': instance.key } })).status;
    const readOften = (): Promise<number[]> => Promise.all(Array.from({ length: 8 * POOL_SIZE }, read));
    expect(new Set(await readOften())).toEqual(new Set([200]));

    // As when the machine of the primary is gone: nothing resets the connections. New ones reach the next primary.
    proxy.silence();
    const waiting = readOften();
    const silentAt = performance.now();
    await until(async () => (await read()) === 503, 'a pool without a connection');
    await proxy.restore();
    await until(async () => (await read()) === 200, 'connections that respond');
    const replacedAfter = performance.now() - silentAt;
    expect(new Set(await waiting)).toEqual(new Set([503]));
    expectWithin(promised('the primary vanishes without closing connections'), replacedAfter);
    expectWithin(promised('the network drops a connection silently', '15 s (PostgreSQL)'), replacedAfter);
  },
);

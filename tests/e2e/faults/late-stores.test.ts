import { type ManagedProcess } from '@deckhand/local';
import { HEARTBEATS_KEY } from '@deckhand/queue';
import { afterAll, describe, expect, it } from '@jest/globals';
import { spawnApp, startStores, startTcpProxy, stopAll, until } from '../../harness/index.ts';

afterAll(stopAll);

/** Collects spawned processes, and waits for their output. */
function watchProcesses() {
  const processes: ManagedProcess[] = [];
  return {
    onSpawn: (process: ManagedProcess) => void processes.push(process),
    running: () => processes.filter((process) => process.isRunning()).length,
    saying: (name: 'API' | 'worker', words: string) =>
      until(
        () => processes.some((process) => process.name.includes(name) && process.output().includes(words)),
        `the ${name}: ${words}`,
      ),
  };
}

describe('processes whose stores are not there yet', () => {
  it('wait for PostgreSQL and Redis, and continue by themselves', async () => {
    const { databaseUrl, redis } = await startStores();
    const [toRedis, toPostgres] = await Promise.all([startTcpProxy(redis.url), startTcpProxy(databaseUrl)]);
    await Promise.all([toRedis.cut(), toPostgres.cut()]);
    const env = { REDIS_URL: toRedis.url, DATABASE_URL: toPostgres.url };
    const { onSpawn, running, saying } = watchProcesses();
    const started = Promise.all([spawnApp('worker', env, { onSpawn }), spawnApp('api', env, { onSpawn })]);
    await saying('worker', 'the migrations of the database cannot be read');
    await toPostgres.restore();
    await saying('worker', 'Redis became unavailable');
    await saying('API', 'Redis became unavailable');
    expect(running()).toBe(2);
    await toRedis.restore();
    for (const app of await started) await app.stop();
  });

  it('are not ended by a first heartbeat that gets no answer', async () => {
    const { databaseUrl, redis } = await startStores();
    const proxy = await startTcpProxy(redis.url);
    proxy.silence((sent) => sent.includes(HEARTBEATS_KEY));
    const { onSpawn, saying } = watchProcesses();
    const started = spawnApp('worker', { REDIS_URL: proxy.url, DATABASE_URL: databaseUrl }, { onSpawn });
    await saying('worker', 'failed to send a heartbeat');
    await proxy.restore();
    await (await started).stop();
  });
});

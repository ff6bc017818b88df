import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyMigrations } from '@deckhand/db';
import { freePort, type ManagedProcess, REPOSITORY } from '@deckhand/local';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createEmptyDatabase, spawnApp, startTestRedis, stopAll, stopLater, until } from '../../harness/index.ts';

afterAll(stopAll);

/** A folder with all migrations but the last. */
async function olderMigrations(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'deckhand-test-'));
  stopLater({ stop: () => rm(folder, { recursive: true, force: true }) });
  await cp(join(REPOSITORY, 'prisma', 'migrations'), folder, { recursive: true });
  const names = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const [last] = names
    .map(({ name }) => name)
    .sort()
    .reverse();
  await rm(join(folder, last ?? ''), { recursive: true });
  return folder;
}

describe('processes that are newer than the database', () => {
  it('say which command is missing, wait for it, and continue by themselves', async () => {
    const { url: databaseUrl } = await createEmptyDatabase();
    const redis = await startTestRedis();
    const metricsPort = await freePort();
    const port = await freePort();
    const env = { DATABASE_URL: databaseUrl, REDIS_URL: redis.url };
    const processes: ManagedProcess[] = [];
    const onSpawn = (process: ManagedProcess) => void processes.push(process);
    const started = Promise.all([
      spawnApp('worker', { ...env, METRICS_PORT: String(metricsPort) }, { onSpawn }),
      spawnApp('api', { ...env, PORT: String(port) }, { onSpawn }),
    ]);
    const saying = (words: string) =>
      until(() => processes.length === 2 && processes.every((process) => process.output().includes(words)), words);
    await saying('run them with \\"npm run migrate\\"');
    const statusOf = async (url: string) => (await fetch(url)).status;
    expect(await statusOf(`http://127.0.0.1:${metricsPort}/healthz`)).toBe(200);
    expect(await statusOf(`http://127.0.0.1:${metricsPort}/readyz`)).toBe(503);
    expect(await statusOf(`http://127.0.0.1:${port}/readyz`)).toBe(503);

    // A database of an earlier version is refused as well.
    await applyMigrations({ databaseUrl, directory: await olderMigrations() });
    const worker = processes.find(({ name }) => name.includes('worker'));
    await until(() => worker?.output().includes('needs the migration'), 'the name of the last migration');
    expect(await statusOf(`http://127.0.0.1:${metricsPort}/readyz`)).toBe(503);

    await applyMigrations({ databaseUrl });
    const apps = await started;
    await until(async () => (await statusOf(`http://127.0.0.1:${metricsPort}/readyz`)) === 200);
    for (const app of apps) await app.stop();
  });
});

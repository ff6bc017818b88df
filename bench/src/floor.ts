import { freePort, type ManagedProcess, startProcess, waitReady } from '@deckhand/local';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The floor's two processes. */
export interface Floor {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the floor's API and its worker on a Redis. */
export async function startFloor(redisUrl: string): Promise<Floor> {
  const dir = await mkdtemp(join(tmpdir(), 'deckhand-floor-'));
  const port = await freePort();
  const start = (role: 'api' | 'worker'): Promise<ManagedProcess> =>
    startProcess({
      name: `the floor's ${role}`,
      command: process.execPath,
      args: [fileURLToPath(new URL('floor-app.js', import.meta.url)), role],
      env: { PATH: process.env.PATH, REDIS_URL: redisUrl, PORT: String(port), NODE_ENV: 'production' },
      logPath: join(dir, `${role}.log`),
    });
  const [api, worker] = [await start('api'), await start('worker')];
  const url = `http://127.0.0.1:${port}/floor`;
  await waitReady(api, async () => (await fetch(new URL('/readyz', url))).ok);
  return {
    url,
    async stop() {
      await api.stop();
      await worker.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

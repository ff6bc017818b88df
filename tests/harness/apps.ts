import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AppOptions, freePort, startApi, startWorker, type ManagedProcess } from '@deckhand/local';
import { stopLater } from './cleanup.ts';
import { FAST_PASSWORDS, TEST_ENCRYPTION_KEY, TEST_SETUP_TOKEN } from './gateway.ts';

/** A process under test; `url` is the API's address, `logPath` a file with all that it wrote. */
export type TestApp = ManagedProcess & { readonly url: string; readonly logPath: string };

/** Default settings of every app of a test. */
const DEFAULTS = {
  ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
  SETUP_TOKEN: TEST_SETUP_TOKEN,
  LOG_LEVEL: 'info',
  HTTP_NODE_ALLOW_PRIVATE: 'true',
};

/**
 * Starts the built API (on a free port, unless `env.PORT` names one) or a built worker, and waits until it is ready.
 * @param env its settings: DATABASE_URL and REDIS_URL at least. Nothing else of this process's environment reaches it.
 * @param options.root where what was built is; the repository by default. `onSpawn`: told of the process before it is
 * ready.
 */
export async function spawnApp(
  app: 'api' | 'worker',
  env: Readonly<Record<string, string>>,
  options: Pick<AppOptions, 'root' | 'onSpawn' | 'nodeArgs'> = {},
): Promise<TestApp> {
  const dir = await mkdtemp(join(tmpdir(), 'deckhand-test-'));
  const logPath = join(dir, `${app}.log`);
  const settings = {
    ...DEFAULTS,
    ...(app === 'api' ? { ...FAST_PASSWORDS, PORT: String(await freePort()) } : {}),
    ...env,
  };
  stopLater({ stop: () => rm(dir, { recursive: true, force: true }) });
  if (app === 'api') return stopLater({ ...(await startApi({ env: settings, logPath, ...options })), logPath });
  return stopLater({ ...(await startWorker({ env: settings, logPath, ...options })), url: '', logPath });
}

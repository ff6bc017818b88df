import { join } from 'node:path';
import { startApi, startWorker } from '../apps.ts';
import type { ManagedProcess } from '../managed-process.ts';
import { keepRunning } from './keep-running.ts';
import type { StartSettings } from './settings.ts';
import type { Stack } from './stack.ts';

/** Grace period of nodes in progress when everything is stopped. A person waits for it, so it is short. */
const WORKER_GRACE_MS = '5000';
/** How long after it a worker that a run blocks is killed, in ms. */
const BLOCKED_WORKER_MS = 1_500;
/** Grace period of the API, in ms. With the workers stopped, it has little to finish. */
const API_GRACE_MS = 2_000;

/** The environment of the API and the workers: ours, and the results of the start. */
export function appEnvironment(
  settings: StartSettings,
  found: { databaseUrl: string; redisUrl: string; encryptionKey: string; setupToken: string },
): Record<string, string> {
  const given = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    WORKER_GRACE_MS,
    ...Object.fromEntries(given),
    PORT: String(settings.port),
    LISTEN_ADDRESS: settings.listenAddress,
    PUBLIC_URL: settings.publicUrl,
    DATABASE_URL: found.databaseUrl,
    REDIS_URL: found.redisUrl,
    ENCRYPTION_KEY: found.encryptionKey,
    SETUP_TOKEN: found.setupToken,
    HTTP_NODE_ALLOW_PRIVATE: String(settings.allowPrivate ?? true),
  };
}

/** Starts the API, and starts it again whenever it ends. */
export function runApi(settings: StartSettings, env: Record<string, string>, stack: Stack): Promise<void> {
  const logPath = join(settings.folder, 'logs', 'api.log');
  return run('api', (onSpawn) => startApi({ env, logPath, onSpawn, graceMs: API_GRACE_MS }), stack);
}

/** Starts the workers, and starts each again whenever it ends. */
export async function runWorkers(settings: StartSettings, env: Record<string, string>, stack: Stack): Promise<void> {
  const numbers = Array.from({ length: settings.workers }, (_, index) => index + 1);
  await Promise.all(
    numbers.map((number) =>
      run(
        'worker',
        (onSpawn) =>
          startWorker({
            name: `worker ${number}`,
            env: { ...env, ...workerPorts(env, number) },
            logPath: join(settings.folder, 'logs', `worker-${number}.log`),
            onSpawn,
            graceMs: Number(env.WORKER_GRACE_MS) + BLOCKED_WORKER_MS,
          }),
        stack,
      ),
    ),
  );
}

async function run(
  role: 'api' | 'worker',
  start: (onSpawn: (spawned: ManagedProcess) => void) => Promise<ManagedProcess>,
  stack: Stack,
): Promise<void> {
  let current: ManagedProcess | undefined;
  const onSpawn = (spawned: ManagedProcess): void => {
    if (current === undefined) stack.add(role, async () => current?.stop());
    current = spawned;
    if (stack.isStopping()) void spawned.stop();
  };
  const part = { process: await start(onSpawn), restart: async () => void (part.process = await start(onSpawn)) };
  void keepRunning(part, stack, console.error);
}

/** METRICS_PORT is the API's: the worker with number n gets the port n above it. */
function workerPorts({ METRICS_PORT: port }: Record<string, string>, number: number): Record<string, string> {
  return port === undefined || port === '' || port === '0' ? {} : { METRICS_PORT: String(Number(port) + number) };
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { connectRedis, readFleet } from '@deckhand/queue';
import { startProcess, type ManagedProcess } from './managed-process.ts';
import { REPOSITORY } from './repository.ts';
import { waitReady } from './wait-ready.ts';

/** How long the API and workers may take to stop by default. A worker gets more than its own grace period. */
const GRACE_MS = { api: 15_000, worker: 40_000 } as const;

/**
 * How Node runs the API and workers everywhere, containers included. By default V8 lets a busy heap grow to four times
 * what is in use before it collects, and to 96 MB of new objects. With a limit below 2,048 MB it collects when the heap
 * has doubled, and semi-spaces of 16 MB halve the new objects. What each saves is in docs/performance.md.
 */
export const NODE_ARGS = ['--max-semi-space-size=16', '--max-old-space-size=2000'] as const;

/** Where Node.js keeps compiled sources between starts (`NODE_COMPILE_CACHE`). */
export const COMPILE_CACHE = join(REPOSITORY, '.deckhand', 'compile-cache');

/** How to run an app. */
export interface AppOptions {
  /** Its settings. Of this process's environment it gets only PATH. */
  readonly env: Readonly<Record<string, string>>;
  readonly logPath: string;
  /** The folder that holds the apps; the repository by default. */
  readonly root?: string;
  /** Options of Node itself, such as `--cpu-prof`. */
  readonly nodeArgs?: readonly string[];
  /** The name in messages. */
  readonly name?: string;
  /** Maximum time until it is ready, in ms. */
  readonly timeoutMs?: number;
  /** Maximum time to stop before it is killed, in ms. */
  readonly graceMs?: number;
  /** Called with the process as soon as it exists, for callers that may have to stop it before it is ready. */
  readonly onSpawn?: (process: ManagedProcess) => void;
}

/** Starts the API and waits until /readyz returns 200 on `env.PORT`. */
export async function startApi(options: AppOptions): Promise<ManagedProcess & { readonly url: string }> {
  const url = `http://${hostOf(options.env.LISTEN_ADDRESS)}:${options.env.PORT ?? '3000'}`;
  const api = await startApp('api', { name: 'the API', ...options });
  await ready(api, async () => (await fetch(`${url}/readyz`)).ok, options.timeoutMs);
  return { ...api, url };
}

/** Returns the host by which this machine reaches a listen address. */
function hostOf(listenAddress = ''): string {
  if (['', '0.0.0.0', '::'].includes(listenAddress)) return '127.0.0.1';
  return listenAddress.includes(':') ? `[${listenAddress}]` : listenAddress;
}

/** Starts a worker and waits until it takes jobs, by its heartbeat in Redis. */
export async function startWorker(options: AppOptions): Promise<ManagedProcess> {
  const worker = await startApp('worker', { name: 'the worker', ...options });
  const redis = connectRedis(options.env.REDIS_URL ?? '', { role: 'producer' });
  redis.on('error', () => undefined);
  try {
    await ready(
      worker,
      async () => (await readFleet(redis)).some(({ pid, state }) => pid === worker.pid && state === 'consuming'),
      options.timeoutMs,
    );
  } finally {
    await redis.quit().catch(() => redis.disconnect());
  }
  return worker;
}

/** Returns the file that starts an app: its source in a checkout, its compiled form in an image. */
function entryOf(root: string, app: 'api' | 'worker'): string {
  const compiled = join(root, 'apps', app, 'dist', 'main.js');
  return root !== REPOSITORY && existsSync(compiled) ? compiled : join(root, 'apps', app, 'src', 'main.ts');
}

async function startApp(app: 'api' | 'worker', options: AppOptions & { name: string }): Promise<ManagedProcess> {
  const root = options.root ?? REPOSITORY;
  const started = await startProcess({
    name: options.name,
    command: process.execPath,
    args: [...NODE_ARGS, ...(options.nodeArgs ?? []), entryOf(root, app)],
    // Without the cache, stripping types and compiling take half of the CPU time of a start.
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, ...options.env },
    cwd: root,
    logPath: options.logPath,
    graceMs: options.graceMs ?? GRACE_MS[app],
  });
  options.onSpawn?.(started);
  return started;
}

/** Waits until the app is ready. An app that does not get ready is stopped. */
async function ready(app: ManagedProcess, check: () => Promise<boolean>, timeoutMs?: number): Promise<void> {
  try {
    await waitReady(app, check, timeoutMs);
  } catch (error) {
    await app.kill();
    throw error;
  }
}

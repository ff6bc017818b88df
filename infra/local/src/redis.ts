import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port.ts';
import { stopLeftover } from './leftover.ts';
import { startProcess, type ManagedProcess } from './managed-process.ts';
import { findRedisServer, NoRedisError } from './redis-server.ts';
import { waitReady } from './wait-ready.ts';

/** A Redis server that this checkout owns. */
export interface LocalRedis {
  readonly url: string;
  readonly port: number;
  readonly process: ManagedProcess;
  stop(): Promise<void>;
  /** Kills it with SIGKILL, like a crash. */
  kill(): Promise<void>;
  /** Stops it if it runs, then starts it on the same port. Without `appendOnly`, it is empty afterwards. */
  restart(): Promise<void>;
}

/**
 * Starts a Redis server on the loopback address, with a random password and its data in `dir`.
 * @param options.port a free one by default.
 * @param options.appendOnly whether the data outlives the server (written to disk every second); not by default.
 * @throws NoRedisError when no server is installed; `ensureRedisServer` installs one.
 */
export async function startRedis(options: {
  dir: string;
  port?: number;
  appendOnly?: boolean;
  logPath?: string;
}): Promise<LocalRedis> {
  const command = await findRedisServer();
  if (command === undefined) throw new NoRedisError('');
  await mkdir(options.dir, { recursive: true });
  const note = join(options.dir, 'server.json');
  await stopEarlier(note);
  const port = options.port ?? (await freePort());
  const password = randomBytes(18).toString('base64url');
  const url = `redis://:${password}@127.0.0.1:${port}`;
  const settings = [
    'bind 127.0.0.1',
    `port ${port}`,
    `dir ${JSON.stringify(options.dir)}`,
    `requirepass ${password}`,
    'save ""',
    `appendonly ${options.appendOnly ? 'yes' : 'no'}`,
    'appendfsync everysec',
    // A queue must never lose a job to make room for another.
    'maxmemory-policy noeviction',
  ];

  const start = async (): Promise<ManagedProcess> => {
    const server = await startProcess({
      name: 'Redis',
      command,
      // The configuration is passed on its standard input, because arguments, and so the password, are visible to all
      // users.
      args: ['-'],
      input: `${settings.join('\n')}\n`,
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      cwd: options.dir,
      logPath: options.logPath ?? join(options.dir, 'redis.log'),
    });
    await writeFile(note, JSON.stringify({ pid: server.pid, port }));
    await waitReady(server, () => answers(url)).catch(async (error: unknown) => {
      await server.kill();
      throw error;
    });
    return server;
  };

  let server = await start();
  return {
    url,
    port,
    get process() {
      return server;
    },
    stop: () => server.stop(),
    kill: () => server.kill(),
    restart: async () => {
      await server.stop();
      server = await start();
    },
  };
}

/** Stops the server of a killed start: two servers on one append-only file would damage it. */
async function stopEarlier(note: string): Promise<void> {
  const text = await readFile(note, 'utf8').catch(() => '');
  if (text === '') return;
  const { pid, port } = JSON.parse(text) as { pid: number; port: number };
  await stopLeftover({ pid, marks: ['-server', `:${port}`], signal: 'SIGTERM', graceMs: 10_000 });
}

async function answers(url: string): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 1_000 });
  client.on('error', () => undefined);
  await client.connect();
  await client.ping();
  await client.quit();
  return true;
}

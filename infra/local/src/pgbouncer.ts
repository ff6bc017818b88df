import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import pg from 'pg';
import { findProgram } from './find-program.ts';
import { freePort } from './free-port.ts';
import { startProcess } from './managed-process.ts';
import { lastLine, packageInstaller } from './package-installer.ts';
import { waitReady } from './wait-ready.ts';

/** A running PgBouncer in front of a PostgreSQL server. */
export interface LocalPgBouncer {
  readonly version: string;
  /** The URL of a database of the server, with the same user and password, as seen through the pooler. */
  through(databaseUrl: string): string;
  stop(): Promise<void>;
}

/** Finds PgBouncer, or installs it with the system's package manager. @returns its path, or why it is missing. */
export async function ensurePgBouncer(): Promise<{ readonly path: string } | { readonly missing: string }> {
  const find = (): Promise<string | undefined> => findProgram(['pgbouncer']);
  const found = await find();
  if (found !== undefined) return { path: found };
  const install = await packageInstaller({ apt: ['pgbouncer'], brew: ['pgbouncer'] });
  if (install === undefined) return { missing: 'PgBouncer is not installed, and no package manager can install it' };
  try {
    await install.run();
  } catch (error) {
    return { missing: `PgBouncer is not installed, and ${install.name} could not install it: ${lastLine(error)}` };
  }
  const path = await find();
  return path === undefined ? { missing: `${install.name} installed no pgbouncer` } : { path };
}

/**
 * Starts PgBouncer in transaction mode before a server, with its own settings otherwise: it refuses parameters of
 * connections that it does not know.
 * @param options.path what `ensurePgBouncer` found.
 * @param options.serverUrl a URL with the user and password that clients of the pooler use too.
 * @param options.poolSize connections to the server, per database: fewer than clients, so that they share them.
 */
export async function startPgBouncer(options: {
  path: string;
  serverUrl: string;
  poolSize?: number;
}): Promise<LocalPgBouncer> {
  const dir = await mkdtemp(join(tmpdir(), 'deckhand-pgbouncer-'));
  const server = new URL(options.serverUrl);
  const port = await freePort();
  const isRoot = process.getuid?.() === 0;
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: join(dir, 'users.txt'),
    pool_mode: 'transaction',
    default_pool_size: options.poolSize ?? 8,
    max_client_conn: 1_000,
    // Disconnects clients of a database that a test drops.
    server_login_retry: 1,
    // PgBouncer refuses to run as root.
    ...(isRoot ? { user: 'postgres' } : {}),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const config = join(dir, 'pgbouncer.ini');
  await writeFile(
    config,
    `[databases]\n* = host=${server.hostname} port=${server.port}\n[pgbouncer]\n${lines.join('\n')}\n`,
  );
  const [user, password] = [server.username, server.password].map(decodeURIComponent);
  await writeFile(settings.auth_file, `"${user}" "${password}"\n`);
  // PgBouncer reads both files as the user that it runs as. The folder's name is random, and the server is a test's.
  await chmod(dir, 0o755);

  const pooler = await startProcess({
    name: 'PgBouncer',
    command: options.path,
    args: [config],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    cwd: '/',
    logPath: join(dir, 'pgbouncer.log'),
    // SIGINT is its orderly shutdown, without waiting for clients that stay connected.
    stopSignal: 'SIGTERM',
  });
  const through = (databaseUrl: string): string => Object.assign(new URL(databaseUrl), { port: String(port) }).href;
  await waitReady(pooler, () => canConnect(through(options.serverUrl))).catch(async (error: unknown) => {
    await pooler.kill();
    throw error;
  });
  const { stdout } = await execa(options.path, ['--version']);
  return {
    version: /\d+\.\d+(\.\d+)?/.exec(stdout)?.[0] ?? 'unknown',
    through,
    async stop() {
      await pooler.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('SELECT 1');
  await client.end();
  return true;
}

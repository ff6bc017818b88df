import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { applyMigrations } from '@deckhand/db';
import { freePort, startProcess } from '@deckhand/local';
import pg from 'pg';
import { stopLater } from './cleanup.ts';
import { startTcpProxy } from './tcp-proxy.ts';
import { until } from './until.ts';

/** A primary with a replica that follows it asynchronously. */
export interface PostgresPair {
  /** The primary's URL. */
  readonly url: string;
  readonly replicaUrl: string;
  readonly version: string;
  /** From now on the replica receives nothing, while the primary continues to commit. */
  delayReplica(): void;
  /** Lets the replica receive again. */
  resumeReplica(): Promise<void>;
  killReplica(): Promise<void>;
  /** Kills the primary and promotes the replica. @returns the URL of the new primary. */
  failOver(): Promise<string>;
}

/** Starts a migrated primary and its replica. @param tools the folder that `findDebianPostgres` found. */
export async function startPostgresPair(tools: string): Promise<PostgresPair> {
  const folder = await mkdtemp(join(tmpdir(), 'deckhand-test-'));
  stopLater({ stop: () => rm(folder, { recursive: true, force: true }) });
  const identity = await unprivilegedUser();
  if (identity) await chown(folder, identity.uid, identity.gid);
  const run = (program: string, ...args: string[]) =>
    promisify(execFile)(join(tools, program), args, { ...identity, cwd: '/', env: { LC_ALL: 'C' } });
  const [data, replicaData] = [join(folder, 'primary'), join(folder, 'replica')];

  async function start(name: string, dataFolder: string) {
    const port = await freePort();
    const args = ['-D', dataFolder, '-p', String(port), '-c', 'listen_addresses=127.0.0.1'];
    const process = await startProcess({
      name: `PostgreSQL ${name}`,
      command: join(tools, 'postgres'),
      args: [...args, '-c', 'unix_socket_directories=', '-c', 'max_connections=150'],
      env: { LC_ALL: 'C' },
      cwd: '/',
      logPath: join(folder, `${name}.log`),
      stopSignal: 'SIGQUIT',
      ...(identity ? { identity } : {}),
    });
    stopLater(process);
    const url = (database: string) => `postgresql://postgres@127.0.0.1:${port}/${database}`;
    await until(async () => (await query(url('postgres'), 'SELECT 1')).length === 1, `PostgreSQL ${name}`);
    return { port, process, url };
  }

  await run('initdb', '-D', data, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8');
  const primary = await start('primary', data);
  await query(primary.url('postgres'), 'CREATE DATABASE deckhand');
  await applyMigrations({ databaseUrl: primary.url('deckhand') });
  const stream = await startTcpProxy(primary.url('postgres'));
  const { port: streamPort } = new URL(stream.url);
  await run(
    'pg_basebackup',
    '-D',
    replicaData,
    '-h',
    '127.0.0.1',
    '-p',
    streamPort,
    '-U',
    'postgres',
    '-R',
    '-c',
    'fast',
  );
  const replica = await start('replica', replicaData);
  const [version] = await query(primary.url('postgres'), 'SHOW server_version');
  return {
    url: primary.url('deckhand'),
    replicaUrl: replica.url('deckhand'),
    version: String(version?.server_version),
    delayReplica: () => stream.silence(),
    async resumeReplica() {
      // A silent connection stays silent.
      await stream.cut();
      await stream.restore();
    },
    killReplica: () => replica.process.kill('SIGKILL'),
    async failOver() {
      await primary.process.kill('SIGKILL');
      await run('pg_ctl', 'promote', '-D', replicaData, '-w');
      return replica.url('deckhand');
    },
  };
}

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** PostgreSQL refuses to run as root. */
export async function unprivilegedUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (flag: string) => Number((await promisify(execFile)('id', [flag, 'postgres'])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
}

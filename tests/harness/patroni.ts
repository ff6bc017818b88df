import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyMigrations } from '@deckhand/db';
import { childPids, freePort, type ManagedProcess, type PatroniPrograms, startProcess } from '@deckhand/local';
import pg from 'pg';
import { stopLater } from './cleanup.ts';
import { unprivilegedUser } from './postgres-pair.ts';
import { until } from './until.ts';

/**
 * Times of Patroni and HAProxy, shorter than their defaults so that a test waits less. The lease of the primary expires
 * after `ttl` seconds.
 */
const PATRONI_TIMES = { ttl: 6, loop_wait: 1, retry_timeout: 2 };
const CHECKS = 'inter 500ms fall 3 rise 1 on-marked-down shutdown-sessions';

/** A node of the cluster: Patroni and its PostgreSQL. */
export interface PatroniNode {
  readonly name: string;
  /** Kills Patroni and all processes of PostgreSQL with SIGKILL. */
  kill(): Promise<void>;
  /** Stops all of its processes where they are, as if the machine hung or its network were gone. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Starts it again after it was killed. */
  start(): Promise<void>;
}

/** Two nodes of PostgreSQL under Patroni with etcd, behind an HAProxy that connects to the primary. */
export interface PatroniCluster {
  /** The URL of the migrated database on whichever node is the primary. */
  readonly url: string;
  /** The URL of the same database on the replica. */
  readonly replicaUrl: string;
  readonly version: string;
  /** Returns the node that holds the lease and is the primary. */
  primary(): Promise<PatroniNode>;
  /** Resolves once the other node is a replica of the primary again; synchronous if the cluster is. */
  untilWhole(): Promise<void>;
}

/** Starts a cluster. @param options.isSynchronous whether commits wait for the replica. */
export async function startPatroniCluster(
  programs: PatroniPrograms,
  options: { readonly isSynchronous: boolean },
): Promise<PatroniCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'deckhand-test-'));
  stopLater({ stop: () => rm(folder, { recursive: true, force: true }) });
  const identity = await unprivilegedUser();
  if (identity) await chown(folder, identity.uid, identity.gid);
  const [etcdPort, proxyPort, replicaPort] = [await freePort(), await freePort(), await freePort()];
  await startEtcd(programs, folder, etcdPort);

  const nodes = await Promise.all(
    ['node1', 'node2'].map((name) => createNode({ name, programs, folder, identity, etcdPort, ...options })),
  );
  const [first, second] = nodes;
  if (first === undefined || second === undefined) throw new Error('there are two nodes');
  await first.start();
  await until(() => first.is('primary'), 'a primary');
  await second.start();
  await startHaproxy(programs, folder, [
    { port: proxyPort, check: '/primary', nodes },
    { port: replicaPort, check: '/replica', nodes },
  ]);

  async function primary(): Promise<RunningNode> {
    for (const node of nodes) if (await node.is('primary')) return node;
    throw new Error('there is no primary');
  }
  async function untilWhole(): Promise<void> {
    const check = options.isSynchronous ? 'synchronous' : 'replica';
    const holds = async (role: Role) => (await Promise.all(nodes.map((node) => node.is(role)))).some(Boolean);
    await until(async () => (await holds('primary')) && (await holds(check)), 'a cluster of two nodes');
  }
  await untilWhole();
  const url = (port: number, database: string) => `postgresql://postgres:secret@127.0.0.1:${port}/${database}`;
  const query = async (statement: string) => {
    const client = new pg.Client({ connectionString: url(proxyPort, 'postgres') });
    await client.connect();
    try {
      return await client.query<{ server_version: string }>(statement);
    } finally {
      await client.end();
    }
  };
  await until(async () => (await query('SELECT 1')).rowCount === 1, 'PostgreSQL behind HAProxy');
  await query('CREATE DATABASE deckhand');
  await applyMigrations({ databaseUrl: url(proxyPort, 'deckhand') });
  const { rows } = await query('SHOW server_version');
  return {
    url: url(proxyPort, 'deckhand'),
    replicaUrl: url(replicaPort, 'deckhand'),
    version: rows[0]?.server_version ?? '',
    primary,
    untilWhole,
  };
}

/**
 * Starts etcd with the second version of its API. With the third, Patroni before 3.0.3 (Debian 12 has 3.0.2) may take
 * the lease of the new primary away when the former one wakes up, and everything that the new one had accepted is lost:
 * https://github.com/patroni/patroni/pull/2689
 */
async function startEtcd(programs: PatroniPrograms, folder: string, port: number): Promise<void> {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${await freePort()}`];
  const etcd = await startProcess({
    name: 'etcd',
    command: programs.etcd,
    args: [
      ...['--data-dir', join(folder, 'etcd'), '--listen-client-urls', client, '--advertise-client-urls', client],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
      '--enable-v2',
    ],
    env: { PATH: process.env.PATH },
    logPath: join(folder, 'etcd.log'),
  });
  stopLater(etcd);
  await until(async () => (await fetch(`${client}/health`)).ok, 'etcd');
}

type Role = 'primary' | 'replica' | 'synchronous';

interface RunningNode extends PatroniNode {
  readonly port: number;
  readonly apiPort: number;
  /** Asks Patroni, as HAProxy does. */
  is(role: Role): Promise<boolean>;
}

async function createNode({
  name,
  programs,
  folder,
  identity,
  etcdPort,
  isSynchronous,
}: {
  name: string;
  programs: PatroniPrograms;
  folder: string;
  identity: { uid: number; gid: number } | undefined;
  etcdPort: number;
  isSynchronous: boolean;
}): Promise<RunningNode> {
  const [port, apiPort] = [await freePort(), await freePort()];
  const data = join(folder, name);
  const config = join(folder, `${name}.json`);
  const host = (p: number) => `127.0.0.1:${p}`;
  const settings = {
    scope: 'deckhand',
    name,
    restapi: { listen: host(apiPort), connect_address: host(apiPort) },
    etcd: { hosts: [host(etcdPort)] },
    bootstrap: {
      dcs: {
        ...PATRONI_TIMES,
        maximum_lag_on_failover: 1_048_576,
        synchronous_mode: isSynchronous,
        postgresql: { use_pg_rewind: true, use_slots: true, parameters: { max_connections: 150 } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: host(port),
      connect_address: host(port),
      data_dir: data,
      bin_dir: programs.postgres,
      pgpass: join(folder, `${name}.pgpass`),
      authentication: {
        superuser: { username: 'postgres', password: 'secret' },
        replication: { username: 'replicator', password: 'secret' },
      },
      pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication replicator 127.0.0.1/32 scram-sha-256'],
      parameters: { unix_socket_directories: '' },
    },
  };
  // YAML includes JSON.
  await writeFile(config, JSON.stringify(settings));
  let patroni: ManagedProcess | undefined;

  /** Returns all processes of the node. PostgreSQL's are not children of Patroni. */
  async function pids(): Promise<number[]> {
    const [postmaster] = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
    const own = patroni?.isRunning() === true ? [patroni.pid] : [];
    const ofPostgres = postmaster ? [Number(postmaster), ...(await childPids(Number(postmaster)))] : [];
    return [...own, ...ofPostgres];
  }
  async function signal(name: NodeJS.Signals): Promise<void> {
    for (const pid of await pids()) {
      try {
        process.kill(pid, name);
      } catch {
        // It has ended.
      }
    }
  }
  stopLater({
    async stop() {
      await signal('SIGCONT');
      await patroni?.stop();
    },
  });
  return {
    name,
    port,
    apiPort,
    async is(role) {
      const url = `http://${host(apiPort)}/${role}`;
      // A node that is dead or frozen has no role.
      return fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
        ({ ok }) => ok,
        () => false,
      );
    },
    async start() {
      patroni = await startProcess({
        name: `Patroni ${name}`,
        command: programs.patroni,
        args: [config],
        env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' },
        cwd: '/',
        logPath: join(folder, `${name}.log`),
        graceMs: 20_000,
        ...(identity ? { identity } : {}),
      });
    },
    async kill() {
      await signal('SIGKILL');
      await patroni?.ended;
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
  };
}

async function startHaproxy(
  programs: PatroniPrograms,
  folder: string,
  listeners: readonly { port: number; check: string; nodes: readonly RunningNode[] }[],
): Promise<void> {
  const file = join(folder, 'haproxy.cfg');
  const listen = listeners.map(({ port, check, nodes }) =>
    [
      `listen ${check.slice(1)}`,
      `  bind 127.0.0.1:${port}`,
      `  option httpchk OPTIONS ${check}`,
      '  http-check expect status 200',
      `  default-server ${CHECKS}`,
      ...nodes.map((node) => `  server ${node.name} 127.0.0.1:${node.port} check port ${node.apiPort}`),
    ].join('\n'),
  );
  const defaults =
    'defaults\n  mode tcp\n  retries 0\n  timeout connect 2s\n  timeout check 1s\n  timeout client 1h\n  timeout server 1h';
  await writeFile(file, `${[defaults, ...listen].join('\n')}\n`);
  stopLater(
    await startProcess({
      name: 'HAProxy',
      command: programs.haproxy,
      args: ['-db', '-f', file],
      env: { PATH: process.env.PATH },
      cwd: folder,
      logPath: join(folder, 'haproxy.log'),
    }),
  );
}

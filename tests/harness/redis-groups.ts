import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findRedisServer, freePort, type ManagedProcess, NoRedisError, startProcess } from '@deckhand/local';
import { stopLater } from './cleanup.ts';
import { until } from './until.ts';

const ADDRESS = '127.0.0.1';
const PASSWORD = 'secret';

/** A Redis server of a group. */
export interface RedisMember {
  readonly port: number;
  readonly process: ManagedProcess;
}

/** A master with replicas, and the sentinels that watch them. */
export interface SentinelGroup {
  /** For REDIS_URL. */
  readonly url: string;
  readonly members: readonly RedisMember[];
  /** The port of the server that the sentinels call the master. */
  masterPort(): Promise<number>;
}

/** Starts a master, a replica and three sentinels that declare the master dead within a second. */
export async function startSentinelGroup(): Promise<SentinelGroup> {
  const folder = await createFolder();
  const auth = [`requirepass ${PASSWORD}`, `masterauth ${PASSWORD}`];
  const master = await startServer(folder, 'master', auth);
  const replica = await startServer(folder, 'replica', [...auth, `replicaof ${ADDRESS} ${master.port}`]);
  await until(async () => (await ask(replica.port, 'INFO', 'replication')).includes('master_link_status:up'));
  const sentinels = await Promise.all(
    [1, 2, 3].map((number) =>
      startServer(
        folder,
        `sentinel-${number}`,
        [
          `sentinel monitor the-master ${ADDRESS} ${master.port} 2`,
          `sentinel auth-pass the-master ${PASSWORD}`,
          'sentinel down-after-milliseconds the-master 600',
          'sentinel failover-timeout the-master 3000',
        ],
        ['--sentinel'],
      ),
    ),
  );
  const ports = sentinels.map(({ port }) => port);
  const knowsAll = async (port: number): Promise<boolean> => {
    const text = await ask(port, 'INFO', 'sentinel');
    return text.includes('slaves=1') && text.includes('sentinels=3');
  };
  await until(async () => (await Promise.all(ports.map(knowsAll))).every(Boolean), 'sentinels that know all');
  return {
    url: `redis+sentinel://:${PASSWORD}@${ports.map((port) => `${ADDRESS}:${port}`).join(',')}/the-master?db=2`,
    members: [master, replica],
    async masterPort() {
      const answer = await ask(ports[0] ?? 0, 'SENTINEL', 'get-master-addr-by-name', 'the-master');
      return Number(answer.split('\n')[1]);
    },
  };
}

/** Starts a cluster of three masters that share all slots. @returns the value for REDIS_URL: two of its nodes. */
export async function startCluster(): Promise<string> {
  const folder = await createFolder();
  const settings = [
    'cluster-enabled yes',
    'cluster-node-timeout 2000',
    `requirepass ${PASSWORD}`,
    `masterauth ${PASSWORD}`,
  ];
  const nodes = await Promise.all([1, 2, 3].map((number) => startServer(folder, `node-${number}`, settings)));
  const addresses = nodes.map(({ port }) => `${ADDRESS}:${port}`);
  const create = ['--cluster', 'create', ...addresses, '--cluster-replicas', '0', '--cluster-yes'];
  await redisCli(create);
  const isWhole = async ({ port }: RedisMember): Promise<boolean> =>
    (await ask(port, 'CLUSTER', 'INFO')).includes('cluster_state:ok');
  await until(async () => (await Promise.all(nodes.map(isWhole))).every(Boolean), 'a cluster that is whole');
  return `redis+cluster://:${PASSWORD}@${addresses.slice(0, 2).join(',')}`;
}

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'deckhand-test-'));
  stopLater({ stop: () => rm(folder, { recursive: true, force: true }) });
  return folder;
}

/** Starts a server. Sentinels and nodes of a cluster write their own settings, so these are in a file. */
async function startServer(
  folder: string,
  name: string,
  settings: readonly string[],
  args: readonly string[] = [],
): Promise<RedisMember> {
  const command = await findRedisServer();
  if (command === undefined) throw new NoRedisError('');
  const port = await freeBusPort();
  const common = [`bind ${ADDRESS}`, `port ${port}`, `dir ${folder}`];
  const stored = args.length > 0 ? [] : ['save ""', 'maxmemory-policy noeviction', `cluster-config-file ${name}.nodes`];
  const file = join(folder, `${name}.conf`);
  await writeFile(file, `${[...common, ...stored, ...settings].join('\n')}\n`);
  const server = await startProcess({
    name: `Redis ${name}`,
    command,
    args: [file, ...args],
    env: { PATH: process.env.PATH },
    cwd: folder,
    logPath: join(folder, `${name}.log`),
  });
  stopLater(server);
  await until(async () => (await ask(port, 'PING')) === 'PONG', `an answer of ${name}`);
  return { port, process: server };
}

/**
 * Where the next port is looked for: below those that the system hands out, and so that the buses, 10,000 above, are
 * too.
 */
let nextPort = 20_000 + (process.pid % 250) * 10;

/** A free port whose bus port, 10,000 above it, is free too. */
async function freeBusPort(): Promise<number> {
  const from = nextPort;
  nextPort += 10;
  return freePort(from);
}

/** Queries a server or a sentinel. Sentinels have no password, and the resulting warning does not matter. */
async function ask(port: number, ...command: string[]): Promise<string> {
  return (await redisCli(['-p', String(port), ...command])).trim();
}

async function redisCli(args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('redis-cli', args, {
    env: { PATH: process.env.PATH, REDISCLI_AUTH: PASSWORD },
  });
  return stdout;
}

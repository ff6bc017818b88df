import { parseOwnJson } from '@deckhand/contracts';
import { applyMigrations, createDatabase, type Database, withoutSessionLimits } from '@deckhand/db';
import {
  freePort,
  ensureRedisServer,
  type LocalPostgres,
  type LocalRedis,
  type ManagedProcess,
  startApi,
  startPostgres,
  startRedis,
  startWorker,
} from '@deckhand/local';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { countStatements, writeStatements } from './statements.ts';

/** A whole Deckhand of its own: durable PostgreSQL, Redis, one API and one worker, on free ports. */
export interface Stack {
  readonly url: string;
  /** The session of the owner, for the console. */
  readonly session: { readonly token: string; readonly expiresAt: string };
  /** An API key with full access. */
  readonly apiKey: string;
  readonly workspaceId: string;
  readonly db: Database;
  readonly api: ManagedProcess;
  readonly worker: ManagedProcess;
  readonly postgres: LocalPostgres;
  readonly redis: LocalRedis;
  /** Where Prometheus would read the API and the worker. */
  readonly metricsUrls: { readonly api: string; readonly worker: string };
  /** Starts one more worker, which stops with the stack. */
  addWorker(): Promise<ManagedProcess>;
  stop(): Promise<void>;
}

/** A quarter of the memory, as PostgreSQL's manual has it for a server of its own, but never all of a small machine. */
const SHARED_BUFFERS = `${Math.min(1_024, Math.floor(totalmem() / 4 / 1_048_576))}MB`;

/** Settings of PostgreSQL beside its defaults, of the stack and of what it is compared with. */
export const POSTGRES_SETTINGS = { shared_buffers: SHARED_BUFFERS } as const;

const OWNER = { email: 'owner@bench.local', password: 'bench-password-1', name: 'Owner', workspaceName: 'Bench' };
const SETUP_TOKEN = randomBytes(24).toString('base64url');

/** How a stack is started. */
export interface StackOptions {
  /** The folder for CPU profiles of the API and the worker, and for PostgreSQL's statements, written when they stop. */
  readonly profileDir?: string | undefined;
  /** Further settings of the workers. */
  readonly workerEnv?: Readonly<Record<string, string>>;
  /** Ports of the inspectors of the API and the worker; none by default. */
  readonly inspectorPorts?: { readonly api: number; readonly worker: number } | undefined;
}

/** Starts a stack. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const dir = await mkdtemp(join(tmpdir(), 'deckhand-bench-'));
  // PostgreSQL's own user may enter it, so that the data is in it, and is removed with it.
  await chmod(dir, 0o711);
  await ensureRedisServer((line) => {
    console.log(line);
  });
  const postgres = await startPostgres({
    dir: join(dir, 'postgres'),
    database: 'deckhand',
    settings: {
      ...POSTGRES_SETTINGS,
      ...(options.profileDir === undefined ? {} : { shared_preload_libraries: 'pg_stat_statements' }),
    },
  });
  const redis = await startRedis({ dir: join(dir, 'redis'), appendOnly: true });
  await applyMigrations({ databaseUrl: postgres.url });
  const [port, apiMetrics, workerMetrics] = [await freePort(), await freePort(), await freePort()];
  const env = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    PORT: String(port),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    LOG_LEVEL: 'warn',
  };
  const nodeArgsOf = (app: 'api' | 'worker'): string[] => [
    ...(options.profileDir ? ['--cpu-prof', `--cpu-prof-dir=${options.profileDir}`] : []),
    ...(options.inspectorPorts ? [`--inspect=127.0.0.1:${options.inspectorPorts[app]}`] : []),
  ];
  const api = await startApi({
    env: { ...env, SETUP_TOKEN, METRICS_PORT: String(apiMetrics) },
    nodeArgs: nodeArgsOf('api'),
    logPath: join(dir, 'api.log'),
  });
  // What nodes call here is on this machine.
  const workerEnv = { ...env, HTTP_NODE_ALLOW_PRIVATE: 'true', ...options.workerEnv };
  const worker = await startWorker({
    env: { ...workerEnv, METRICS_PORT: String(workerMetrics) },
    nodeArgs: nodeArgsOf('worker'),
    logPath: join(dir, 'worker.log'),
  });
  const added: ManagedProcess[] = [];
  const session = await post<Stack['session']>(api.url, '/api/auth/setup', { ...OWNER, token: SETUP_TOKEN }, {});
  const { key } = await post<{ key: string }>(
    api.url,
    '/api/api-keys',
    { name: 'bench', password: OWNER.password, preset: 'full', saveAsCredential: false },
    { authorization: `Bearer ${session.token}` },
  );
  const me = await fetch(`${api.url}/api/workspaces`, { headers: { 'x-api-key': key } });
  const { data } = parseOwnJson<{ data: { workspaceId: string }[] }>(await me.text());
  // Generating runs takes longer than the apps may.
  const db = createDatabase({ url: withoutSessionLimits(postgres.url), poolSize: 2 });
  if (options.profileDir !== undefined) await countStatements(db);
  return {
    url: api.url,
    session: { token: session.token, expiresAt: session.expiresAt },
    apiKey: key,
    workspaceId: data[0]?.workspaceId ?? '',
    db,
    api,
    worker,
    postgres,
    redis,
    metricsUrls: {
      api: `http://127.0.0.1:${apiMetrics}/metrics`,
      worker: `http://127.0.0.1:${workerMetrics}/metrics`,
    },
    async addWorker() {
      const more = await startWorker({ env: workerEnv, logPath: join(dir, `worker-${added.length + 2}.log`) });
      added.push(more);
      return more;
    },
    async stop() {
      if (options.profileDir !== undefined) await writeStatements(db, options.profileDir);
      await db.$disconnect();
      await Promise.all([worker, ...added].map((process) => process.stop()));
      await api.stop();
      await redis.stop();
      await postgres.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Sends JSON and reads JSON. @throws with the response's text when the status is 400 or more. */
export async function post<T>(url: string, path: string, body: object, headers: Record<string, string>): Promise<T> {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${text}`);
  return parseOwnJson<T>(text);
}

import {
  freePort,
  type LocalPostgres,
  type ManagedProcess,
  startPostgres,
  startProcess,
  waitReady,
} from '@deckhand/local';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A running peer. */
export interface Peer {
  readonly name: string;
  /** Where a POST of `{ "nonce": … }` gets the result of a run. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts Restate's server, with its defaults, and a service. @param dir where `installPeers` has put them. */
export async function startRestate(dir: string): Promise<Peer> {
  const data = await mkdtemp(join(tmpdir(), 'deckhand-restate-'));
  const [ingress, admin, fabric, port] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const server = await startProcess({
    name: 'Restate',
    command: join(dir, 'node_modules', '.bin', 'restate-server'),
    args: [],
    env: {
      PATH: process.env.PATH,
      RESTATE_BASE_DIR: data,
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_BIND_PORT: String(fabric),
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RESTATE_LOG_FILTER: 'warn',
      DO_NOT_TRACK: '1',
    },
    cwd: data,
    logPath: join(data, 'server.log'),
  });
  const service = await startApp(join(dir, 'restate-app.mjs'), { PORT: String(port) }, data);
  await waitReady(server, async () => (await fetch(`http://127.0.0.1:${admin}/health`)).ok, 60_000);
  // The service may listen a little later.
  await waitReady(service, async () => (await register(admin, port)).ok, 60_000);
  return {
    name: 'Restate',
    url: `http://127.0.0.1:${ingress}/bench/run`,
    async stop() {
      await service.stop();
      await server.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

function register(admin: number, port: number): Promise<Response> {
  return fetch(`http://127.0.0.1:${admin}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: `http://127.0.0.1:${port}` }),
  });
}

/** Starts a DBOS app and its PostgreSQL, which has the settings of ours. */
export async function startDbos(dir: string, settings: Readonly<Record<string, string>>): Promise<Peer> {
  const data = await mkdtemp(join(tmpdir(), 'deckhand-dbos-'));
  await chmod(data, 0o711);
  const postgres: LocalPostgres = await startPostgres({ dir: join(data, 'postgres'), database: 'dbos', settings });
  const port = await freePort();
  const env = { PORT: String(port), DBOS_SYSTEM_DATABASE_URL: postgres.url };
  const app = await startApp(join(dir, 'dbos-app.mjs'), env, data);
  const url = `http://127.0.0.1:${port}/`;
  const body = JSON.stringify({ nonce: 'is it ready' });
  await waitReady(app, async () => (await fetch(url, { method: 'POST', body })).ok, 60_000);
  return {
    name: 'DBOS',
    url,
    async stop() {
      await app.stop();
      await postgres.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

function startApp(path: string, env: Readonly<Record<string, string>>, data: string): Promise<ManagedProcess> {
  return startProcess({
    name: path,
    command: process.execPath,
    args: [path],
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env },
    logPath: join(data, 'app.log'),
  });
}

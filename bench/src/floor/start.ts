import { type Database, Prisma } from '@deckhand/db';
import { freePort, type ManagedProcess, startProcess, waitReady } from '@deckhand/local';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freeze, thaw } from '../freeze.ts';

/** The floor's two processes, on the same PostgreSQL and Redis as Deckhand's. */
export interface Floor {
  readonly url: string;
  readonly redisUrl: string;
  readonly databaseUrl: string;
  /** Lets some of the floor's processes run for as long as something takes; at other times they are frozen. */
  awake<T>(roles: readonly FloorRole[], act: () => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

export type FloorRole = 'api' | 'worker';

const TABLE = `CREATE TABLE IF NOT EXISTS floor_runs (
  id uuid PRIMARY KEY, status text NOT NULL, data text NOT NULL, created_at timestamptz NOT NULL DEFAULT now(), finished_at timestamptz)`;

/** Starts the floor's API and its worker. */
export async function startFloor(options: { db: Database; databaseUrl: string; redisUrl: string }): Promise<Floor> {
  const { db, databaseUrl, redisUrl } = options;
  await db.$executeRaw(Prisma.raw(TABLE));
  const dir = await mkdtemp(join(tmpdir(), 'deckhand-floor-'));
  const port = await freePort();
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    PORT: String(port),
    NODE_ENV: 'production',
  };
  const start = (role: FloorRole): Promise<ManagedProcess> =>
    startProcess({
      name: `the floor's ${role}`,
      command: process.execPath,
      args: [fileURLToPath(new URL('app.ts', import.meta.url)), role],
      env,
      logPath: join(dir, `${role}.log`),
    });
  const processes = { api: await start('api'), worker: await start('worker') };
  const all: readonly FloorRole[] = ['api', 'worker'];
  const url = `http://127.0.0.1:${port}`;
  await waitReady(processes.api, async () => (await fetch(`${url}/readyz`)).ok);
  for (const role of all) freeze(processes[role]);
  return {
    url,
    redisUrl,
    databaseUrl,
    async awake(roles, act) {
      for (const role of roles) thaw(processes[role]);
      try {
        return await act();
      } finally {
        for (const role of roles) freeze(processes[role]);
      }
    },
    async stop() {
      for (const role of all) {
        thaw(processes[role]);
        await processes[role].stop();
      }
      await rm(dir, { recursive: true, force: true });
    },
  };
}

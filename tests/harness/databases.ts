import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyMigrations, type Database, Prisma } from '@deckhand/db';
import { startPostgres, startRedis, TEMPLATE_DATABASE, type LocalPostgres, type LocalRedis } from '@deckhand/local';
import pg from 'pg';
import { stopLater } from './cleanup.ts';

/** A database of a test file's own. */
export interface TestDatabase {
  readonly url: string;
  /** Drops it, even while clients are connected. `stopAll` does so too. */
  stop(): Promise<void>;
}

/** Clones the migrated database on the run's shared server: some 50 ms. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabaseFrom(TEMPLATE_DATABASE);
}

/** A database on the run's shared server that has nothing in it: no migration was applied. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabaseFrom('template0');
}

async function createDatabaseFrom(template: string): Promise<TestDatabase> {
  const url = new URL(sharedServerUrl());
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  url.pathname = '/postgres';
  const admin = url.href;
  await execute(admin, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  url.pathname = `/${name}`;
  return stopLater({
    url: url.href,
    stop: () => execute(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  });
}

/** A durable, migrated PostgreSQL server of a test file's own, to be killed and restarted: some 1.5 s. */
export async function startTestPostgres(settings: Readonly<Record<string, string>> = {}): Promise<LocalPostgres> {
  const dir = await mkdtemp(join(tmpdir(), 'deckhand-test-'));
  const server = await startPostgres({ dir, database: 'deckhand', settings });
  stopLater({ stop: () => server.remove() });
  await applyMigrations({ databaseUrl: server.url });
  return server;
}

/** A Redis server of a test file's own: some 60 ms. Killed or restarted, it comes back empty, unless `appendOnly`. */
export async function startTestRedis(options: { appendOnly?: boolean } = {}): Promise<LocalRedis> {
  const dir = await mkdtemp(join(tmpdir(), 'deckhand-test-'));
  const server = await startRedis({ dir, ...options });
  stopLater({
    stop: async () => {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  });
  return server;
}

/** Returns the URL of the run's shared server. @throws Error in tests without one. */
export function sharedServerUrl(): string {
  const url = process.env.TEST_POSTGRES_URL;
  if (url === undefined) throw new Error('no shared PostgreSQL: is this test in tests/integration or tests/e2e?');
  return url;
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/**
 * Counts the sessions of a database that wait for a lock. Other databases of the server belong to other tests.
 * @param kind `advisory`, `transactionid` (a row) or another `wait_event` of PostgreSQL; any without it.
 */
export async function countLockWaits(db: Pick<Database, '$queryRaw'>, kind?: string): Promise<number> {
  const [row] = await db.$queryRaw<{ count: number }[]>(Prisma.sql`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'
      AND ${kind === undefined ? Prisma.sql`true` : Prisma.sql`wait_event = ${kind}`}`);
  return row?.count ?? 0;
}

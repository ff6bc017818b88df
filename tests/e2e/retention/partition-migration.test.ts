import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyMigrations, createDatabase, type Database } from '@deckhand/db';
import { REPOSITORY } from '@deckhand/local';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { createEmptyDatabase, stopAll, stopLater } from '../../harness/index.ts';

const MIGRATION = '20261124220000_run_partitions';
const OLD_RUNS = 20_000;
/** A statement that waits for a lock for longer than this, in ms, fails: the migration may not block others so long. */
const MAX_LOCK_MS = 1_000;

let before: string;

beforeAll(async () => {
  const all = join(REPOSITORY, 'prisma', 'migrations');
  before = await mkdtemp(join(tmpdir(), 'deckhand-migrations-'));
  for (const name of await readdir(all)) {
    if (name < MIGRATION) await cp(join(all, name), join(before, name), { recursive: true });
  }
});
afterAll(async () => {
  await rm(before, { recursive: true, force: true });
  await stopAll();
});

/** A database of the version before, with old runs. */
async function createOldDatabase(): Promise<{ url: string; db: Database }> {
  const { url } = await createEmptyDatabase();
  await applyMigrations({ databaseUrl: url, directory: before });
  const db = createDatabase({ url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  await db.$executeRaw`
    INSERT INTO executions (id, workspace_id, workflow_id, workflow_version_id, status, source, trigger_node_id, created_at, deadline_at, dispatched_at, finished_at)
    SELECT (lpad(to_hex(1790000000000 + n), 12, '0') || '7000800000000000' || lpad(to_hex(n), 4, '0'))::uuid,
      gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'success', 'api', 'start', now(), now(), now(), now()
    FROM generate_series(1, ${OLD_RUNS}::int) n`;
  await db.$executeRaw`INSERT INTO node_runs (execution_id, node_id, status) SELECT id, 'start', 'success' FROM executions`;
  return { url, db };
}

/** A process of the version before: it writes and ends runs, by statements that it prepared once. */
async function startWriter(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`SET lock_timeout = ${MAX_LOCK_MS}`);
  const ids: string[] = [];
  const stopping = new AbortController();
  async function write(): Promise<void> {
    const id = uuidv7();
    await client.query({
      name: 'accept',
      text: `INSERT INTO executions (id, workspace_id, workflow_id, workflow_version_id, source, trigger_node_id, created_at, deadline_at, dispatched_at)
        VALUES ($1, $1, $1, $1, 'api', 'start', now(), now() + interval '1 hour', now())`,
      values: [id],
    });
    await client.query({
      name: 'checkpoint',
      text: `WITH locked AS (SELECT id FROM executions WHERE id = ANY ($1::uuid[]) ORDER BY id FOR NO KEY UPDATE),
        ended AS (UPDATE executions e SET status = 'success', finished_at = now(), epoch = epoch + 1 FROM locked l WHERE e.id = l.id)
        INSERT INTO node_runs (execution_id, node_id, status) SELECT id, 'start', 'success' FROM locked
        ON CONFLICT (execution_id, node_id) DO UPDATE SET status = EXCLUDED.status`,
      values: [[id]],
    });
    ids.push(id);
  }
  const stopped = (async () => {
    while (!stopping.signal.aborted) await write();
  })();
  return {
    async stop(): Promise<readonly string[]> {
      stopping.abort();
      await stopped;
      await client.end();
      return ids;
    },
  };
}

describe('the migration to partitions', () => {
  it('blocks no process of the version before for longer than a moment, and loses nothing', async () => {
    const { url, db } = await createOldDatabase();
    const writers = [await startWriter(url), await startWriter(url)];
    expect(await applyMigrations({ databaseUrl: url })).toContain(MIGRATION);
    const written = await Promise.all(writers.map((writer) => writer.stop()));
    const ids = written.flat();
    expect(ids.length).toBeGreaterThan(10);
    expect(await db.execution.count()).toBe(OLD_RUNS + ids.length);
    expect(await db.execution.count({ where: { id: { in: ids.slice(-1_000) }, status: 'success', epoch: 1 } })).toBe(
      Math.min(ids.length, 1_000),
    );
    expect(await db.nodeRun.count()).toBe(OLD_RUNS + ids.length);
    const [first] = await db.$queryRaw<{ rows: number }[]>`SELECT count(*)::int AS rows FROM ONLY executions_p0`;
    expect(first).toEqual({ rows: OLD_RUNS + ids.length });
    // No index was built again or is missing.
    const invalid = await db.$queryRaw`SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid`;
    expect(invalid).toEqual([]);
  });

  it('continues where it was interrupted', async () => {
    const { url, db } = await createOldDatabase();
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    // Like an export of node runs that takes long.
    await holder.query('BEGIN; SET idle_in_transaction_session_timeout = 0; SELECT FROM node_runs LIMIT 1');
    await expect(applyMigrations({ databaseUrl: url, maxLockAttempts: 1 })).rejects.toThrow('lock timeout');
    await holder.query('ROLLBACK');
    await holder.end();
    const id = uuidv7();
    await db.$executeRaw`INSERT INTO node_runs (execution_id, node_id, status) VALUES (${id}::uuid, 'a', 'success')`;
    expect((await applyMigrations({ databaseUrl: url }))[0]).toBe(MIGRATION);
    expect(await applyMigrations({ databaseUrl: url })).toEqual([]);
    expect(await db.execution.count()).toBe(OLD_RUNS);
    expect(await db.nodeRun.count()).toBe(OLD_RUNS + 1);
    const tables = await db.$queryRaw<{ table: string; kind: string }[]>`
      SELECT relname AS "table", relkind::text AS kind FROM pg_class
      WHERE relname IN ('executions', 'node_runs', 'node_iterations', 'execution_texts') ORDER BY relname`;
    expect(tables.map(({ kind }) => kind)).toEqual(['p', 'p', 'p', 'p']);
    expect(await db.$queryRaw`SELECT to_regclass('first_run_partition')::text AS left_over`).toEqual([
      { left_over: null },
    ]);
  });
});

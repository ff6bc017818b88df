import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyMigrations, findPendingMigrations, withoutSessionLimits } from '@deckhand/db';
import { compareSchema, readPrismaStatus } from '@deckhand/db/schema';
import { REPOSITORY } from '@deckhand/local';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createEmptyDatabase, createTestDatabase, stopAll, until } from '../../harness/index.ts';

const RECORDS = `
  SELECT migration_name AS name, finished_at IS NOT NULL AS finished, rolled_back_at IS NOT NULL AS rolled_back, logs
  FROM _prisma_migrations ORDER BY started_at`;

let directory: string;
let databaseUrl: string;
let connections: pg.Client[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'deckhand-migrations-'));
  databaseUrl = (await createEmptyDatabase()).url;
  connections = [];
});
afterEach(async () => {
  for (const client of connections) await client.end();
  await rm(directory, { recursive: true, force: true });
});
afterAll(stopAll);

async function write(name: string, sql: string): Promise<void> {
  await mkdir(join(directory, name), { recursive: true });
  await writeFile(join(directory, name, 'migration.sql'), sql);
}

/** A connection that is closed after the test. */
async function connect(): Promise<pg.Client> {
  // A session that keeps a lock for which a migration waits longer than sessions of the apps may.
  const client = new pg.Client({ connectionString: withoutSessionLimits(databaseUrl) });
  connections.push(client);
  await client.connect();
  return client;
}

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Waits until a session of this database matches `condition` on its row of pg_stat_activity. */
function untilSession(condition: string, what: string): Promise<unknown> {
  const others = 'datname = current_database() AND pid <> pg_backend_pid()';
  const sessions = `SELECT pid FROM pg_stat_activity WHERE ${others} AND ${condition}`;
  return until(async () => (await query(sessions))[0], what);
}

const checksum = (sql: string) => createHash('sha256').update(sql).digest('hex');

describe('migrations', () => {
  it('are applied once each, in order, by processes that start together', async () => {
    await write(
      '1_first',
      'CREATE TABLE things (id int); CREATE FUNCTION one() RETURNS int AS $$ SELECT 1; $$ LANGUAGE sql;',
    );
    await write('2_second', 'ALTER TABLE things ADD name text; -- a comment at the end');
    expect(await findPendingMigrations(databaseUrl, directory)).toEqual(['1_first', '2_second']);
    const applied = await Promise.all([1, 2, 3].map(() => applyMigrations({ databaseUrl, directory })));
    expect(applied.flat()).toEqual(['1_first', '2_second']);
    expect(await findPendingMigrations(databaseUrl, directory)).toEqual([]);
  });

  it('leave nothing behind when they fail, say why, and may be tried again', async () => {
    await write('1_first', 'CREATE TABLE things (id int); SELECT 1 / 0;');
    await expect(applyMigrations({ databaseUrl, directory })).rejects.toThrow(
      'migration 1_first failed: ERROR: division by zero',
    );
    expect(await query("SELECT to_regclass('things') AS found")).toEqual([{ found: null }]);
    expect(await query(RECORDS)).toEqual([]);
    expect(await findPendingMigrations(databaseUrl, directory)).toEqual(['1_first']);
    await write('1_first', 'CREATE TABLE things (id int);');
    expect(await applyMigrations({ databaseUrl, directory })).toEqual(['1_first']);
  });

  it('let others by while somebody holds a table that they change, and get through once it is free', async () => {
    await write('1_first', 'CREATE TABLE things (id int);');
    await applyMigrations({ databaseUrl, directory });
    await write('2_second', 'ALTER TABLE things ADD name text;');
    const holder = await connect();
    await holder.query('BEGIN; SELECT * FROM things;');
    const migration = applyMigrations({ databaseUrl, directory });
    await untilSession(`wait_event_type = 'Lock'`, 'a migration that waits');
    // It can read although the other session still has the table's lock: the migration has stepped back.
    expect(await query('SELECT * FROM things')).toEqual([]);
    await holder.query('COMMIT');
    expect(await migration).toEqual(['2_second']);
  });

  it('give up after a bounded number of attempts to lock a table, and leave nothing behind', async () => {
    await write('1_first', 'CREATE TABLE things (id int);');
    await applyMigrations({ databaseUrl, directory });
    await write('2_second', 'CREATE TABLE more (id int); ALTER TABLE things ADD name text;');
    const holder = await connect();
    await holder.query('BEGIN; SELECT * FROM things;');
    const lines: string[] = [];
    const report = (line: string) => void lines.push(line);
    await expect(applyMigrations({ databaseUrl, directory, report, maxLockAttempts: 2 })).rejects.toThrow(
      'migration 2_second failed: ERROR: canceling statement due to lock timeout',
    );
    expect(lines).toEqual(['applying 2_second', expect.stringMatching(/^attempt 1 of 2 failed, trying again: /)]);
    expect(await query("SELECT to_regclass('more') AS found")).toEqual([{ found: null }]);
    expect(await findPendingMigrations(databaseUrl, directory)).toEqual(['2_second']);
  });

  it('take as long as they need, and keep no lock once their process is gone, whatever the database says', async () => {
    await query(`DO $$ BEGIN
      EXECUTE format('ALTER DATABASE %I SET statement_timeout = 100', current_database());
      EXECUTE format('ALTER DATABASE %I SET idle_in_transaction_session_timeout = 0', current_database());
    END $$`);
    await write(
      '1_first',
      `SELECT pg_sleep(0.3);
       CREATE TABLE session AS SELECT name, setting FROM pg_settings
        WHERE name ~ '^(tcp_keepalives_|idle_in_|client_connection_)|lock_timeout'`,
    );
    expect(await applyMigrations({ databaseUrl, directory })).toEqual(['1_first']);
    const settings = await query('SELECT name, setting FROM session');
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toMatchObject({
      client_connection_check_interval: '2000',
      idle_in_transaction_session_timeout: '60000',
      lock_timeout: '250',
      tcp_keepalives_count: '3',
      tcp_keepalives_idle: '10',
      tcp_keepalives_interval: '5',
    });
  });

  it('are refused when they were edited after they were applied', async () => {
    await write('1_first', 'CREATE TABLE things (id int);');
    await applyMigrations({ databaseUrl, directory });
    await write('1_first', 'CREATE TABLE things (id bigint);');
    await write('2_second', 'CREATE TABLE more (id int);');
    await expect(applyMigrations({ databaseUrl, directory })).rejects.toThrow('migration 1_first was edited');
    expect(await query("SELECT to_regclass('more') AS found")).toEqual([{ found: null }]);
  });

  it('that only a newer version knows are not errors', async () => {
    await write('1_first', 'CREATE TABLE things (id int);');
    await write('2_newer', 'CREATE TABLE more (id int);');
    await applyMigrations({ databaseUrl, directory });
    await rm(join(directory, '2_newer'), { recursive: true });
    expect(await applyMigrations({ databaseUrl, directory })).toEqual([]);
    expect(await findPendingMigrations(databaseUrl, directory)).toEqual([]);
  });

  it('are not applied to a database of something else', async () => {
    await query('CREATE TABLE of_something_else (id int)');
    await write('1_first', 'CREATE TABLE things (id int);');
    await expect(applyMigrations({ databaseUrl, directory })).rejects.toThrow('no record of migrations');
    expect(await query("SELECT to_regclass('things') AS found")).toEqual([{ found: null }]);
  });

  it('are refused with a directive that is not known', async () => {
    await write('1_first', '-- deckhand: no-transactions\nCREATE TABLE things (id int);');
    await expect(applyMigrations({ databaseUrl, directory })).rejects.toThrow(
      'migration 1_first: there is no directive "no-transactions"',
    );
  });
});

describe('records of migrations', () => {
  it('are what Prisma writes', async () => {
    const sql = 'CREATE TABLE things (id int);';
    await write('1_first', sql);
    await applyMigrations({ databaseUrl, directory });
    const columns = `SELECT column_name, data_type, character_maximum_length, is_nullable, column_default
      FROM information_schema.columns WHERE table_name = '_prisma_migrations' ORDER BY ordinal_position`;
    expect((await query(columns)).map((row) => Object.values(row))).toEqual([
      ['id', 'character varying', 36, 'NO', null],
      ['checksum', 'character varying', 64, 'NO', null],
      ['finished_at', 'timestamp with time zone', null, 'YES', null],
      ['migration_name', 'character varying', 255, 'NO', null],
      ['logs', 'text', null, 'YES', null],
      ['rolled_back_at', 'timestamp with time zone', null, 'YES', null],
      ['started_at', 'timestamp with time zone', null, 'NO', 'now()'],
      ['applied_steps_count', 'integer', null, 'NO', '0'],
    ]);
    const rows = await query('SELECT *, finished_at >= started_at AS in_order FROM _prisma_migrations');
    expect(rows).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        checksum: checksum(sql),
        started_at: expect.any(Date),
        finished_at: expect.any(Date),
        in_order: true,
        migration_name: '1_first',
        logs: null,
        rolled_back_at: null,
        applied_steps_count: 1,
      },
    ]);
  });

  it('are read by Prisma: applied, failed, not applied yet, and edited', async () => {
    await write('1_first', 'CREATE TABLE things (id int);');
    await write('2_halves', '-- deckhand: no-transaction\nCREATE TABLE more (id int); SELECT 1 / 0;');
    await expect(applyMigrations({ databaseUrl, directory })).rejects.toThrow(
      '2_halves failed: ERROR: division by zero',
    );
    expect(await readPrismaStatus(databaseUrl, directory)).toMatchObject({
      hasMigrationsTable: true,
      failedMigrationNames: ['2_halves'],
      editedMigrationNames: [],
      history: null,
    });
    await write('2_halves', 'CREATE TABLE halves (id int);');
    await write('3_third', 'CREATE TABLE third (id int);');
    await applyMigrations({ databaseUrl, directory });
    expect(await readPrismaStatus(databaseUrl, directory)).toMatchObject({
      failedMigrationNames: [],
      editedMigrationNames: [],
      history: null,
    });
    await write('3_third', 'CREATE TABLE third (id bigint);');
    await write('4_fourth', 'CREATE TABLE fourth (id int);');
    expect(await readPrismaStatus(databaseUrl, directory)).toMatchObject({
      failedMigrationNames: [],
      editedMigrationNames: ['3_third'],
      history: { diagnostic: 'databaseIsBehind', unappliedMigrationNames: ['4_fourth'] },
    });
  });

  it('that Prisma wrote count: applied, marked as applied, failed, rolled back', async () => {
    const scripts = ['applied', 'marked', 'failed', 'again', 'undone'].map(
      (name) => `CREATE TABLE ${name} (id int);\n`,
    );
    const names = ['1_applied', '2_marked', '3_failed', '4_again', '5_undone'];
    for (const [index, name] of names.entries()) await write(name, scripts[index] ?? '');
    // As Prisma leaves it: migrate deploy, migrate resolve --applied, a failure, and migrate resolve --rolled-back.
    await query(`
      CREATE TABLE _prisma_migrations (
        id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
        migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
        started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0
      );
      INSERT INTO _prisma_migrations VALUES
        ('3f1d0b1e-6e0e-4a53-9d41-0a4a3b0a5a01', '${checksum(scripts[0] ?? '')}',
          now(), '1_applied', NULL, NULL, now(), 1),
        ('3f1d0b1e-6e0e-4a53-9d41-0a4a3b0a5a02', '${checksum('CREATE TABLE marked (id int);\r\n')}',
          now(), '2_marked', '', NULL, now(), 0),
        ('3f1d0b1e-6e0e-4a53-9d41-0a4a3b0a5a03', '${checksum('CREATE TABLE faild (id int);')}',
          NULL, '3_failed', 'ERROR: syntax error', NULL, now(), 0),
        ('3f1d0b1e-6e0e-4a53-9d41-0a4a3b0a5a04', '${checksum('CREATE TABLE agian (id int);')}',
          NULL, '4_again', 'ERROR: syntax error', now(), now(), 0),
        ('3f1d0b1e-6e0e-4a53-9d41-0a4a3b0a5a05', '${checksum('CREATE TABLE undon (id int);')}',
          now(), '5_undone', NULL, now(), now(), 1)`);
    expect(await findPendingMigrations(databaseUrl, directory)).toEqual(['3_failed', '4_again', '5_undone']);
    expect(await applyMigrations({ databaseUrl, directory })).toEqual(['3_failed', '4_again', '5_undone']);
    const open = 'SELECT FROM _prisma_migrations WHERE finished_at IS NULL AND rolled_back_at IS NULL';
    expect(await query(open)).toEqual([]);
  });

  it('that a process left unfinished are closed, and their migration runs', async () => {
    await write('1_first', 'CREATE TABLE things (id int);');
    await applyMigrations({ databaseUrl, directory });
    await write('2_second', 'CREATE TABLE more (id int);');
    await query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('an id', 'a checksum', '2_second')`,
    );
    expect(await applyMigrations({ databaseUrl, directory })).toEqual(['2_second']);
    expect(await query(RECORDS)).toEqual([
      { name: '1_first', finished: true, rolled_back: false, logs: null },
      { name: '2_second', finished: false, rolled_back: true, logs: null },
      { name: '2_second', finished: true, rolled_back: false, logs: null },
    ]);
  });
});

describe('migrations without a transaction', () => {
  const INDEX = "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('things_id')";

  async function writeIndex(): Promise<void> {
    await write('1_first', 'CREATE TABLE things (id int);');
    await applyMigrations({ databaseUrl, directory });
    await write(
      '2_index',
      '-- deckhand: no-transaction\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS things_id ON things (id);',
    );
  }

  it('build an index anew that an earlier attempt left invalid', async () => {
    await writeIndex();
    await query('INSERT INTO things VALUES (1), (1)');
    await expect(applyMigrations({ databaseUrl, directory })).rejects.toThrow(
      'migration 2_index failed: ERROR: could not create unique index "things_id"',
    );
    expect(await query(INDEX)).toEqual([{ valid: false }]);
    await query('TRUNCATE things');
    expect(await applyMigrations({ databaseUrl, directory })).toEqual(['2_index']);
    expect(await query(INDEX)).toEqual([{ valid: true }]);
    expect(await query(RECORDS)).toEqual([
      { name: '1_first', finished: true, rolled_back: false, logs: null },
      {
        name: '2_index',
        finished: false,
        rolled_back: true,
        logs: expect.stringContaining('could not create unique index'),
      },
      { name: '2_index', finished: true, rolled_back: false, logs: null },
    ]);
  });

  it('keep an index that an earlier attempt built to its end', async () => {
    await writeIndex();
    await query('CREATE UNIQUE INDEX things_id ON things (id)');
    const [before] = await query(`SELECT to_regclass('things_id')::oid AS oid`);
    expect(await applyMigrations({ databaseUrl, directory })).toEqual(['2_index']);
    expect(await query(`SELECT to_regclass('things_id')::oid AS oid`)).toEqual([before]);
  });

  it('wait for long transactions, and are not blocked by another process that waits to migrate', async () => {
    await writeIndex();
    const holder = await connect();
    await holder.query('BEGIN; INSERT INTO things VALUES (1);');
    const first = applyMigrations({ databaseUrl, directory, maxLockAttempts: 1 });
    await untilSession(`query LIKE 'CREATE UNIQUE INDEX%' AND wait_event_type = 'Lock'`, 'an index that waits');
    const lines: string[] = [];
    const report = (line: string) => void lines.push(line);
    const second = applyMigrations({ databaseUrl, directory, report });
    await until(() => lines.length > 0, 'a process that waits to migrate');
    expect(lines).toEqual(['waiting for another process that migrates this database']);
    // Longer than a migration waits for a table.
    await untilSession(
      `query LIKE 'CREATE UNIQUE INDEX%' AND clock_timestamp() - query_start > interval '3 s'`,
      'an index that waits for 3 s',
    );
    await holder.query('COMMIT');
    expect(await first).toEqual(['2_index']);
    expect(await second).toEqual([]);
    expect(await query(INDEX)).toEqual([{ valid: true }]);
  });

  it('finish the detaching of a partition that was begun, and leave one alone that is detached', async () => {
    await write('1_first', 'CREATE TABLE parts (id int) PARTITION BY RANGE (id);');
    await write('2_parts', 'CREATE TABLE low PARTITION OF parts FOR VALUES FROM (0) TO (9);');
    await applyMigrations({ databaseUrl, directory });
    const holder = await connect();
    await holder.query('BEGIN; SELECT * FROM parts;');
    const other = await connect();
    const detached = other
      .query('ALTER TABLE parts DETACH PARTITION low CONCURRENTLY')
      .catch((error: unknown) => error);
    await untilSession(`query LIKE 'ALTER TABLE parts%' AND wait_event_type = 'Lock'`, 'a partition that waits');
    await query(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'ALTER TABLE parts%'
      AND datname = current_database() AND pid <> pg_backend_pid()`);
    expect(await detached).toMatchObject({ code: '57014' });
    await holder.query('COMMIT');
    expect(await query('SELECT inhdetachpending FROM pg_inherits')).toEqual([{ inhdetachpending: true }]);

    const sql = '-- deckhand: no-transaction\nALTER TABLE parts DETACH PARTITION low CONCURRENTLY;';
    await write('3_detach', sql);
    expect(await applyMigrations({ databaseUrl, directory })).toEqual(['3_detach']);
    expect(await query('SELECT inhdetachpending FROM pg_inherits')).toEqual([]);
    await write('4_again', sql);
    expect(await applyMigrations({ databaseUrl, directory })).toEqual(['4_again']);
  });

  it('build an index of a partitioned table on each partition, and continue after a failure', async () => {
    await write('1_first', 'CREATE TABLE parts (id int, n int) PARTITION BY RANGE (id);');
    await write(
      '2_parts',
      `CREATE TABLE parts_p0 PARTITION OF parts FOR VALUES FROM (0) TO (9);
       CREATE TABLE parts_p9 PARTITION OF parts FOR VALUES FROM (9) TO (19);
       INSERT INTO parts VALUES (1, 1), (10, 0);`,
    );
    await applyMigrations({ databaseUrl, directory });
    await write(
      '3_index',
      '-- deckhand: no-transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS parts_n ON parts ((10 / n));',
    );
    await expect(applyMigrations({ databaseUrl, directory })).rejects.toThrow('division by zero');
    const read = () =>
      query(`SELECT indexrelid::regclass::text AS name, indisvalid AS valid FROM pg_index
        WHERE indrelid::regclass::text LIKE 'parts%' ORDER BY 1`);
    expect(await read()).toEqual([
      { name: 'parts_n', valid: false },
      { name: 'parts_n_p0', valid: true },
      { name: 'parts_n_p9', valid: false },
    ]);
    await query('DELETE FROM parts WHERE n = 0');
    await query('CREATE TABLE parts_p19 PARTITION OF parts FOR VALUES FROM (19) TO (29)');
    expect(await applyMigrations({ databaseUrl, directory })).toEqual(['3_index']);
    expect((await read()).map(({ valid }) => valid)).toEqual([true, true, true, true]);
  });

  it.each([
    ['CREATE INDEX CONCURRENTLY a ON things (id)', 'CREATE INDEX CONCURRENTLY IF NOT EXISTS'],
    ['CREATE INDEX IF NOT EXISTS a ON things (id)', 'CREATE INDEX CONCURRENTLY IF NOT EXISTS'],
    ['DROP INDEX CONCURRENTLY a', 'DROP INDEX CONCURRENTLY IF EXISTS'],
    ['ALTER TABLE things DETACH PARTITION low', 'DETACH PARTITION <name> CONCURRENTLY'],
  ])('are refused before they begin when they hold %s', async (statement, form) => {
    await write('1_first', `-- deckhand: no-transaction\nCREATE TABLE things (id int); ${statement};`);
    await expect(applyMigrations({ databaseUrl, directory })).rejects.toThrow(form);
    expect(await query("SELECT to_regclass('things') AS found")).toEqual([{ found: null }]);
  });
});

describe('the schema', () => {
  it('is what the migrations add up to', async () => {
    const { url } = await createTestDatabase();
    expect(await compareSchema(url)).toEqual({ onlyInSchema: [], onlyInMigrations: [] });
    expect(await findPendingMigrations(url)).toEqual([]);
  });

  it('differs by a column, an index or an enum', async () => {
    const schema = await readFile(join(REPOSITORY, 'prisma', 'schema.prisma'), 'utf8');
    const edited = schema
      .replace(
        '  name  String @id\n  value Json',
        '  name  String @id\n  value Json?\n  by String @default("x")\n  @@index([by])',
      )
      .replace('  viewer\n', '');
    const { onlyInSchema, onlyInMigrations } = await compareSchema(databaseUrl, { schema: edited });
    expect(onlyInSchema).toEqual([
      "column settings.by text not null default 'x'::text",
      'column settings.value jsonb',
      'enum role approver, operator, publisher, author, editor, admin, owner',
      'index CREATE INDEX settings_by_idx ON public.settings USING btree (by)',
    ]);
    expect(onlyInMigrations).toEqual([
      'column settings.value jsonb not null',
      'enum role approver, viewer, operator, publisher, author, editor, admin, owner',
    ]);
  });
});

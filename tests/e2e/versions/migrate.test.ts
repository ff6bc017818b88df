import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, REPOSITORY } from '@deckhand/local';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import {
  createEmptyDatabase,
  expectWithin,
  itInTime,
  promised,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';

const COMMAND = join(REPOSITORY, 'packages/db/src/bin/migrate.ts');

const RECORDS = `
  SELECT migration_name AS name, finished_at IS NOT NULL AS finished, rolled_back_at IS NOT NULL AS rolled_back
  FROM _prisma_migrations ORDER BY started_at`;

let directory: string;
let databaseUrl: string;
let client: pg.Client;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'deckhand-migrations-'));
  stopLater({ stop: () => rm(directory, { recursive: true, force: true }) });
  databaseUrl = (await createEmptyDatabase()).url;
  client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const ownClient = client;
  stopLater({ stop: () => ownClient.end() });
});
afterAll(stopAll);

async function write(name: string, sql: string): Promise<void> {
  await mkdir(join(directory, name), { recursive: true });
  await writeFile(join(directory, name, 'migration.sql'), sql);
}

/** The command while it runs. */
interface Migrate {
  readonly process: ChildProcess;
  readonly output: () => string;
  /** Resolves with the exit code; null after a signal. */
  readonly ended: Promise<number | null>;
}

function migrate(env: Readonly<Record<string, string>> = { DATABASE_URL: databaseUrl }): Migrate {
  const child = spawn(process.execPath, [COMMAND, '--directory', directory], { env, stdio: 'pipe' });
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (output += bytes.toString()));
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  stopLater({
    stop: () => {
      child.kill('SIGKILL');
      return ended;
    },
  });
  return { process: child, output: () => output, ended };
}

/** Waits for a session of this database other than the test's. */
function untilSession(condition: string, what: string): Promise<unknown> {
  const others = 'datname = current_database() AND pid <> pg_backend_pid()';
  const sessions = `SELECT pid FROM pg_stat_activity WHERE ${others} AND ${condition}`;
  return until(async () => (await client.query(sessions)).rows[0], what);
}

describe('npm run migrate', () => {
  itInTime(
    'continues after a process that was killed in the middle of a transaction, which keeps no lock',
    async () => {
      await client.query(
        'CREATE SCHEMA test; CREATE TABLE test.obstacles (id int); INSERT INTO test.obstacles VALUES (1)',
      );
      await write(
        '1_first',
        `CREATE TABLE things (id int);
       DO $$ BEGIN WHILE EXISTS (SELECT FROM test.obstacles) LOOP PERFORM pg_sleep(0.01); END LOOP; END $$;`,
      );
      const first = migrate();
      await untilSession(`query LIKE 'CREATE TABLE things%'`, 'a migration in progress');
      const second = migrate();
      await untilSession(`query LIKE 'SELECT pg_try_advisory_lock%'`, 'a second process that waits');
      first.process.kill('SIGKILL');
      const killedAt = performance.now();
      expect(await first.ended).toBeNull();
      await until(() => second.output().includes('applying 1_first'), 'the lock of the dead process');
      const tookMs = performance.now() - killedAt;
      await client.query('DELETE FROM test.obstacles');
      expect(await second.ended).toBe(0);
      expect((await client.query(RECORDS)).rows).toEqual([{ name: '1_first', finished: true, rolled_back: false }]);
      await client.query('DROP SCHEMA test CASCADE; DROP TABLE things, _prisma_migrations');
      expectWithin(promised('`npm run migrate` is killed', '2 s'), tookMs);
    },
  );

  it('continues after a process that was killed while it built an index concurrently', async () => {
    await write('1_first', 'CREATE TABLE things (id int);');
    expect(await migrate().ended).toBe(0);
    await write(
      '2_index',
      '-- deckhand: no-transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS things_id ON things (id);',
    );
    const holder = new pg.Client({ connectionString: databaseUrl });
    await holder.connect();
    await holder.query('BEGIN; INSERT INTO things VALUES (1);');
    const first = migrate();
    await untilSession(`query LIKE 'CREATE INDEX%' AND wait_event_type = 'Lock'`, 'an index that waits');
    first.process.kill('SIGKILL');
    expect(await first.ended).toBeNull();
    const second = migrate();
    // The dead process's transaction still waits, and yet its lock is free.
    await until(() => second.output().includes('applying 2_index'), 'the lock of the dead process');
    await holder.query('COMMIT');
    await holder.end();
    expect(await second.ended).toBe(0);
    const index = "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('things_id')";
    expect((await client.query(index)).rows).toEqual([{ valid: true }]);
    expect((await client.query(RECORDS)).rows).toEqual([
      { name: '1_first', finished: true, rolled_back: false },
      { name: '2_index', finished: false, rolled_back: true },
      { name: '2_index', finished: true, rolled_back: false },
    ]);
  });

  it('uses DIRECT_DATABASE_URL where it is set', async () => {
    await write('1_first', 'CREATE TABLE things (id int);');
    const nowhere = `postgresql://nobody@127.0.0.1:${await freePort()}/nothing`;
    const direct = migrate({ DATABASE_URL: nowhere, DIRECT_DATABASE_URL: databaseUrl });
    expect(await direct.ended).toBe(0);
    expect(direct.output()).toBe('applying 1_first\nThe database is up to date.\n');
    expect(await migrate({ DATABASE_URL: databaseUrl, DIRECT_DATABASE_URL: '' }).ended).toBe(0);
    const failed = migrate({ DATABASE_URL: nowhere });
    expect(await failed.ended).toBe(1);
    expect(failed.output()).toContain('Migrating failed: ');
  });

  it.each([
    ['no database', {}, 2, /^DATABASE_URL is not set: .*\n$/],
    [
      'another database',
      { DATABASE_URL: 'mysql://u:hunter2@h/d' },
      2,
      /^DATABASE_URL is not a URL of a PostgreSQL .*\n$/,
    ],
    ['no URL', { DIRECT_DATABASE_URL: 'postgres://u:hunter2@[/d' }, 2, /^DIRECT_DATABASE_URL is not a URL of .*\n$/],
    [
      'a server that is away',
      { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/d?sslmode=require' },
      1,
      /^Migrating failed: connect ECONNREFUSED .*\n$/,
    ],
  ])('given %s says so in one line, without a password', async (_, env, exitCode, message) => {
    const failed = migrate(env);
    expect(await failed.ended).toBe(exitCode);
    expect(failed.output()).toMatch(message);
    expect(failed.output()).not.toContain('hunter2');
  });
});

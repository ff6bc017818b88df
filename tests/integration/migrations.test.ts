import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { applyMigrations, checkMigrations, pendingMigrations } from '@deckhand/db';
import pg from 'pg';
import { createEmptyDatabase, createTestDatabase, stopAll, until } from '../harness/index.js';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'deckhand-migrations-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));
afterAll(stopAll);

async function write(name: string, sql: string): Promise<void> {
  await mkdir(join(directory, name), { recursive: true });
  await writeFile(join(directory, name, 'migration.sql'), sql);
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('migrations', () => {
  it('add up to prisma/schema.prisma', async () => {
    const { url } = await createTestDatabase();
    expect(await checkMigrations(url)).toBe('');
    expect(await pendingMigrations(url)).toEqual([]);
  });

  it('are applied once each, in order, by processes that start together', async () => {
    const { url: databaseUrl } = await createEmptyDatabase();
    await write(
      '1_first',
      'CREATE TABLE things (id int); CREATE FUNCTION one() RETURNS int AS $$ SELECT 1; $$ LANGUAGE sql;',
    );
    await write('2_second', 'ALTER TABLE things ADD name text; -- a comment at the end');
    expect(await pendingMigrations(databaseUrl, directory)).toEqual(['1_first', '2_second']);
    const applied = await Promise.all([1, 2, 3].map(() => applyMigrations({ databaseUrl, directory })));
    expect(applied.flat()).toEqual(['1_first', '2_second']);
    expect(await pendingMigrations(databaseUrl, directory)).toEqual([]);
  });

  it('leave nothing behind when they fail, say why, and may be tried again', async () => {
    const { url: databaseUrl } = await createEmptyDatabase();
    await write('1_first', 'CREATE TABLE things (id int); SELECT 1 / 0;');
    await expect(applyMigrations({ databaseUrl, directory })).rejects.toThrow(
      'migration 1_first failed: ERROR: division by zero',
    );
    expect(await query(databaseUrl, "SELECT to_regclass('things') AS found")).toEqual([{ found: null }]);
    expect(await pendingMigrations(databaseUrl, directory)).toEqual(['1_first']);
    await write('1_first', 'CREATE TABLE things (id int);');
    expect(await applyMigrations({ databaseUrl, directory })).toEqual(['1_first']);
  });

  it('let others by while somebody holds a table that they change, and get through once it is free', async () => {
    const { url: databaseUrl } = await createEmptyDatabase();
    await write('1_first', 'CREATE TABLE things (id int);');
    await applyMigrations({ databaseUrl, directory });
    await write('2_second', 'ALTER TABLE things ADD name text;');
    const holder = new pg.Client({ connectionString: databaseUrl });
    await holder.connect();
    await holder.query('BEGIN; SELECT * FROM things;');
    const migration = applyMigrations({ databaseUrl, directory });
    const waiting = "SELECT 1 FROM pg_locks WHERE relation = 'things'::regclass AND NOT granted";
    await until(async () => (await query(databaseUrl, waiting)).length > 0, 20_000, 'a migration that waits');
    // It reads while the holder still holds the table: the migration has stepped back.
    expect(await query(databaseUrl, 'SELECT * FROM things')).toEqual([]);
    await holder.query('COMMIT');
    await holder.end();
    expect(await migration).toEqual(['2_second']);
  });

  it('go on after a process that died between beginning one and finishing it', async () => {
    const { url: databaseUrl } = await createEmptyDatabase();
    await write('1_first', 'CREATE TABLE things (id int);');
    await applyMigrations({ databaseUrl, directory });
    await write('2_second', 'CREATE TABLE more (id int);');
    await query(
      databaseUrl,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('an id', 'a checksum', '2_second')`,
    );
    expect(await applyMigrations({ databaseUrl, directory })).toEqual(['2_second']);
  });
});

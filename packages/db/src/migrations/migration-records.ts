import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { checksumOf, type Migration } from './migration-files.ts';

const UNDEFINED_TABLE = '42P01';

/** Prisma's table, as its schema engine creates it. */
const CREATE_TABLE = `
CREATE TABLE _prisma_migrations (
    id                      VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum                VARCHAR(64) NOT NULL,
    finished_at             TIMESTAMPTZ,
    migration_name          VARCHAR(255) NOT NULL,
    logs                    TEXT,
    rolled_back_at          TIMESTAMPTZ,
    started_at              TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count     INTEGER NOT NULL DEFAULT 0
)`;

/** Tables of the schema that migrations write to, without those of extensions. */
const COUNT_TABLES = `
SELECT count(*)::int AS tables, to_regclass('_prisma_migrations') IS NOT NULL AS is_initialized
FROM pg_class c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
  AND NOT EXISTS (
    SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
  )`;

/** Applied migrations, with the checksums of their SQL. */
const SELECT_APPLIED = `
SELECT migration_name AS name, checksum FROM _prisma_migrations
WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`;

/** A client that can query the migrations of a database. */
type Queryable = Pick<pg.Client, 'query'>;

/**
 * Returns the checksum of every applied migration by name; empty for a database that was never migrated. Names that
 * this version does not know belong to a newer one.
 */
export async function readApplied(client: Queryable): Promise<Map<string, string>> {
  try {
    const { rows } = await client.query<{ name: string; checksum: string }>(SELECT_APPLIED);
    return new Map(rows.map(({ name, checksum }) => [name, checksum]));
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === UNDEFINED_TABLE) return new Map();
    throw error;
  }
}

/**
 * Prepares the table for new records: creates it if it is missing, and closes unfinished records of killed processes,
 * so that their migrations run again. A transactional migration left nothing behind; the statements of others may be
 * repeated. Call it with the lock only.
 * @throws when the schema has tables but no record of migrations: it belongs to another application.
 */
export async function prepareRecords(client: Queryable): Promise<void> {
  const { rows } = await client.query<{ tables: number; is_initialized: boolean }>(COUNT_TABLES);
  const [state] = rows;
  if (state?.is_initialized !== true) {
    if (state?.tables !== 0) {
      throw new Error('the database has tables, but no record of migrations: it must be empty, or one of Deckhand');
    }
    await client.query(CREATE_TABLE);
  }
  await client.query(
    'UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL',
  );
}

/** Records that a migration begins. @returns the record's id. */
export async function recordStarted(client: Queryable, migration: Migration): Promise<string> {
  const id = randomUUID();
  await client.query(
    'INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at) VALUES ($1, $2, $3, clock_timestamp())',
    [id, checksumOf(migration.sql), migration.name],
  );
  return id;
}

/** Records that a migration was applied; like Prisma, as one step. */
export async function recordFinished(client: Queryable, id: string): Promise<void> {
  await client.query(
    'UPDATE _prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1 WHERE id = $1',
    [id],
  );
}

/** Records why a migration stopped half-way. */
export async function recordFailed(client: Queryable, id: string, logs: string): Promise<void> {
  await client.query('UPDATE _prisma_migrations SET logs = $2 WHERE id = $1', [id, logs]);
}

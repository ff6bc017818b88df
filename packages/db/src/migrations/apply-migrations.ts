import { withExplicitSslMode } from '@deckhand/contracts';
import pg from 'pg';
import { applySessionLimits } from '../session-limits.ts';
import { grantRuntimeRole } from './grant-runtime-role.ts';
import { applyMigration } from './apply-migration.ts';
import { hasChecksum, readMigrations, type Migration } from './migration-files.ts';
import { acquireMigrationLock } from './migration-lock.ts';
import { prepareRecords, readApplied } from './migration-records.ts';

/** Attempts to lock a table before a migration fails: about three minutes. */
const MAX_LOCK_ATTEMPTS = 150;

/**
 * The session's settings, which override those of the role and the database. A migration has no time limit. A process
 * that is killed, frozen or disconnected must not keep its locks: PostgreSQL notices a closed connection while a
 * statement runs, a silent connection by keep-alive packets, and a process that stops between statements by the idle
 * time of its transaction.
 */
const SESSION_SETTINGS = `
SET statement_timeout = 0;
SET idle_in_transaction_session_timeout = '60s';
SET client_connection_check_interval = '2s';
SET tcp_keepalives_idle = 10;
SET tcp_keepalives_interval = 5;
SET tcp_keepalives_count = 3;`;

/** Options of a migration. */
export interface ApplyMigrationsOptions {
  /** A direct connection, without a pooler: the lock belongs to the session. */
  readonly databaseUrl: string;
  /** A folder of migrations; the repository's by default. */
  readonly directory?: string;
  /** The role of the apps, if another role migrates: it is granted the rights that they need. */
  readonly runtimeRole?: string | undefined;
  /** Receives a line for each migration that begins, and for each wait. */
  readonly report?: (line: string) => void;
  /** Attempts to lock a table before a migration fails, a quarter of a second each. */
  readonly maxLockAttempts?: number;
}

/**
 * Applies each migration that the database does not have, the oldest first. If the process is killed, the next call
 * continues. Several processes may run it: they wait for a lock, and the later ones find nothing to do. Migrations that
 * the database has and the folder does not have belong to a newer version, and are ignored.
 * @returns the names applied by this call.
 * @throws when the database cannot be reached, an applied migration was edited, or one fails: a transactional one is
 * then rolled back.
 */
export async function applyMigrations(options: ApplyMigrationsOptions): Promise<string[]> {
  const applied = await applyPending(options);
  await createNextPartitions(options.databaseUrl);
  await applySessionLimits(options.databaseUrl);
  if (options.runtimeRole !== undefined) await grantRuntimeRole(options.databaseUrl, options.runtimeRole);
  return applied;
}

async function applyPending(options: ApplyMigrationsOptions): Promise<string[]> {
  const { databaseUrl, directory, report = () => undefined, maxLockAttempts = MAX_LOCK_ATTEMPTS } = options;
  const migrations = await readMigrations(directory);
  const client = new pg.Client({ connectionString: withExplicitSslMode(databaseUrl) });
  // If a connection breaks between two statements, the next statement reports it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    // Checked without the lock: most calls find nothing to do, and need not wait for a process that has it.
    if (pendingOf(migrations, await readApplied(client)).length === 0) return [];
    await client.query(SESSION_SETTINGS);
    await acquireMigrationLock(client, report);
    await prepareRecords(client);
    const pending = pendingOf(migrations, await readApplied(client));
    for (const migration of pending) {
      report(`applying ${migration.name}`);
      await applyMigration(client, migration, { maxAttempts: maxLockAttempts, report });
    }
    return pending.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** Checks that migrations are unchanged since they were applied. @throws if one was edited. */
function pendingOf(migrations: readonly Migration[], applied: ReadonlyMap<string, string>): Migration[] {
  return migrations.filter(({ name, sql }) => {
    const checksum = applied.get(name);
    if (checksum === undefined) return true;
    if (hasChecksum(sql, checksum)) return false;
    throw new Error(`migration ${name} was edited after it was applied: restore its file, and write another migration`);
  });
}

/** Creates the partitions of runs that a database which was not used for a while lacks, so that it can accept runs. */
async function createNextPartitions(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: withExplicitSslMode(databaseUrl) });
  await client.connect();
  try {
    // A folder of other migrations has no such function.
    const { rows } = await client.query("SELECT WHERE to_regproc('create_run_partitions') IS NOT NULL");
    if (rows.length > 0)
      await client.query("SELECT create_run_partitions(now() + interval '8 days', interval '8 days')");
  } finally {
    await client.end();
  }
}

import { withExplicitSslMode } from '@deckhand/contracts';
import pg from 'pg';
import { applySessionLimits } from '../session-limits.js';
import { grantRuntimeRole } from './grant-runtime-role.js';
import { applyMigration } from './apply-migration.js';
import { hasChecksum, readMigrations, type Migration } from './migration-files.js';
import { acquireMigrationLock } from './migration-lock.js';
import { prepareRecords, readApplied } from './migration-records.js';

/** Attempts to lock a table before a migration gives up: some three minutes. */
const MAX_LOCK_ATTEMPTS = 60;

/**
 * The session's settings, whatever the role or the database says. A migration takes as long as it takes. A process that
 * is killed, stopped or cut off must not keep its locks: PostgreSQL notices a closed connection while a statement runs,
 * a silent one by keep-alive packets, and one that stops between statements by the time that its transaction is idle.
 */
const SESSION_SETTINGS = `
SET statement_timeout = 0;
SET idle_in_transaction_session_timeout = '60s';
SET client_connection_check_interval = '2s';
SET tcp_keepalives_idle = 10;
SET tcp_keepalives_interval = 5;
SET tcp_keepalives_count = 3;`;

/** How to migrate. */
export interface ApplyMigrationsOptions {
  /** A session of its own, past any pooler: the lock belongs to the session. */
  readonly databaseUrl: string;
  /** A folder of migrations; the repository's by default. */
  readonly directory?: string;
  /** The role of the apps, where it is not the one that migrates: it is granted what they need. */
  readonly runtimeRole?: string | undefined;
  /** Receives a line for each migration that begins, and for each wait. */
  readonly report?: (line: string) => void;
  /** Attempts to lock a table before a migration gives up, each of two seconds. */
  readonly maxLockAttempts?: number;
}

/**
 * Brings the database up to date: applies each migration that it has not seen, oldest first. A process that is killed
 * in the middle of it does no harm: the next call goes on from there. May run in several processes at once: they wait
 * for a lock, and the later ones find nothing left to do. Migrations that the database has and the folder has not
 * belong to a newer version, and are ignored.
 * @returns the names applied by this call.
 * @throws when the database cannot be reached, an applied migration was edited, or one fails: of a transactional one
 * nothing is kept then.
 */
export async function applyMigrations(options: ApplyMigrationsOptions): Promise<string[]> {
  const applied = await applyPending(options);
  await applySessionLimits(options.databaseUrl);
  if (options.runtimeRole !== undefined) await grantRuntimeRole(options.databaseUrl, options.runtimeRole);
  return applied;
}

async function applyPending(options: ApplyMigrationsOptions): Promise<string[]> {
  const { databaseUrl, directory, report = () => undefined, maxLockAttempts = MAX_LOCK_ATTEMPTS } = options;
  const migrations = await readMigrations(directory);
  const client = new pg.Client({ connectionString: withExplicitSslMode(databaseUrl) });
  // A connection that breaks between two statements is reported by the next.
  client.on('error', () => undefined);
  await client.connect();
  try {
    // Without the lock: most calls find nothing to do, and need not wait for who has it.
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

/** @throws when a migration is not what was applied under its name. */
function pendingOf(migrations: readonly Migration[], applied: ReadonlyMap<string, string>): Migration[] {
  return migrations.filter(({ name, sql }) => {
    const checksum = applied.get(name);
    if (checksum === undefined) return true;
    if (hasChecksum(sql, checksum)) return false;
    throw new Error(`migration ${name} was edited after it was applied: restore its file, and write another migration`);
  });
}

import pg from 'pg';
import { readMigrations } from './migration-files.js';
import { NO_FILTERS, withSchemaEngine } from './schema-engine.js';

/** Key of the advisory lock that migrating processes queue for; the schema engine has another of its own. */
const LOCK_KEY = 3_325_004;

/** Nothing of an unfinished migration was kept (engine-connection.ts): it may be tried again. */
const FORGET_UNFINISHED = `
DO $forget$ BEGIN
  IF to_regclass('_prisma_migrations') IS NOT NULL THEN
    UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL;
  END IF;
END $forget$;`;

/**
 * Brings the database up to date: applies each migration that it has not seen, oldest first, each in a transaction.
 * A process that is killed in the middle of it does no harm: the next call goes on from there.
 * May run in several processes at once: they queue for a lock, and the later ones find nothing left to do.
 * @param options.directory a folder of migrations; the repository's by default.
 * @returns the names applied by this call.
 * @throws when the database cannot be reached, or a migration fails; nothing of that one is kept then.
 */
export async function applyMigrations(options: { databaseUrl: string; directory?: string }): Promise<string[]> {
  const migrationsList = await readMigrations(options.directory);
  // The lock belongs to this connection alone, so that it is gone as soon as this process is.
  const lock = new pg.Client({ connectionString: options.databaseUrl });
  await lock.connect();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [LOCK_KEY]);
    await lock.query(FORGET_UNFINISHED);
    return await withSchemaEngine(options.databaseUrl, async (engine) => {
      const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: NO_FILTERS });
      return appliedMigrationNames;
    });
  } finally {
    await lock.end();
  }
}

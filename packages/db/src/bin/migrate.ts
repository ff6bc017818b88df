// npm run migrate [-- --directory <folder>], against DIRECT_DATABASE_URL where it is set, else DATABASE_URL.
import { parseArgs } from 'node:util';
import { applyMigrations } from '../migrations/apply-migrations.js';
import { migrationUrl } from '../migrations/migration-url.js';

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { directory: { type: 'string' } } });
  const databaseUrl = migrationUrl(process.env);
  if (databaseUrl === undefined) {
    console.error(
      'DATABASE_URL is not set: name the PostgreSQL database to migrate, such as postgresql://user@host/db',
    );
    return 1;
  }
  await applyMigrations({ databaseUrl, ...values, report: console.log });
  console.log('The database is up to date.');
  return 0;
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(`Migrating failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  },
);

// npm run migrate [-- --directory <folder>], against DIRECT_DATABASE_URL where it is set, since a pooler that shares
// sessions cannot carry the lock of a migrating process; else DATABASE_URL.
import { parseArgs } from 'node:util';
import { applyMigrations } from '../migrations/apply-migrations.js';
import { requireDatabaseUrl, runCommand } from './run-command.js';

await runCommand('Migrating', async (print) => {
  const { values } = parseArgs({ options: { directory: { type: 'string' } } });
  const setting = process.env.DIRECT_DATABASE_URL ? 'DIRECT_DATABASE_URL' : 'DATABASE_URL';
  const databaseUrl = requireDatabaseUrl(setting, process.env[setting]);
  await applyMigrations({ databaseUrl, ...values, report: print });
  print('The database is up to date.');
});

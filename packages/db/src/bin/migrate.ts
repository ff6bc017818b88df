// npm run migrate [-- --directory <folder>], against DIRECT_DATABASE_URL where it is set, since a pooler that shares
// sessions cannot carry the lock of a migrating process; else DATABASE_URL. RUNTIME_DATABASE_ROLE is granted what the
// apps need.
import { parseArgs } from 'node:util';
import { applyMigrations } from '../migrations/apply-migrations.ts';
import { requireDatabaseUrl, runCommand } from './run-command.ts';

await runCommand('Migrating', async (print) => {
  const { values } = parseArgs({ options: { directory: { type: 'string' } } });
  const setting = process.env.DIRECT_DATABASE_URL ? 'DIRECT_DATABASE_URL' : 'DATABASE_URL';
  const databaseUrl = requireDatabaseUrl(setting, process.env[setting]);
  const role = process.env.RUNTIME_DATABASE_ROLE ?? '';
  const runtimeRole = role === '' ? undefined : role;
  await applyMigrations({ databaseUrl, runtimeRole, ...values, report: print });
  print('The database is up to date.');
});

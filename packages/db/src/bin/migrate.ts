// npm run migrate [-- --check | --create <name>], against DATABASE_URL.
import { parseArgs } from 'node:util';
import { applyMigrations, checkMigrations, writeMigration } from '../migrations/index.js';

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { check: { type: 'boolean' }, create: { type: 'string' } } });
  const databaseUrl = process.env.DATABASE_URL;
  if (!databaseUrl) {
    console.error(
      'DATABASE_URL is not set: name the PostgreSQL database to migrate, such as postgresql://user@host/db',
    );
    return 1;
  }
  if (values.check) return check(databaseUrl);
  if (values.create !== undefined) return create(databaseUrl, values.create);
  const applied = await applyMigrations({ databaseUrl });
  for (const name of applied) console.log(`applied ${name}`);
  if (applied.length === 0) console.log('The database is up to date.');
  return 0;
}

async function check(databaseUrl: string): Promise<number> {
  const missing = await checkMigrations(databaseUrl);
  if (missing === '') {
    console.log('The migrations and prisma/schema.prisma agree.');
    return 0;
  }
  console.error(`The migrations lack what prisma/schema.prisma has. The next one would need:\n\n${missing}`);
  return 1;
}

async function create(databaseUrl: string, name: string): Promise<number> {
  const path = await writeMigration(databaseUrl, name);
  console.log(path === undefined ? 'Nothing to write: the migrations and the schema agree.' : `Wrote ${path}`);
  return 0;
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(`Migrating failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  },
);

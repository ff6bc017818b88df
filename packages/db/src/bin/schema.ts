// For developers, on a server where DATABASE_URL may create databases:
// npm run schema -- check                            compares prisma/schema.prisma with the migrations
// npm run schema -- create <name> [--from <commit>]  writes the migration from that commit's schema (HEAD) to yours
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { compareSchema, SCHEMA_PATH, writeMigration } from '../schema/index.js';

const USAGE = 'Say what to do: npm run schema -- check, or npm run schema -- create <name> [--from <commit>]';

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { from: { type: 'string', default: 'HEAD' } },
  });
  const databaseUrl = process.env.DATABASE_URL;
  const [command, name] = positionals;
  if (!databaseUrl) {
    console.error('DATABASE_URL is not set: name a database of a PostgreSQL server for development');
    return 1;
  }
  if (command === 'check') return check(databaseUrl);
  if (command === 'create' && name !== undefined) return create(databaseUrl, name, values.from);
  console.error(USAGE);
  return 1;
}

async function check(databaseUrl: string): Promise<number> {
  const { onlyInSchema, onlyInMigrations } = await compareSchema(databaseUrl);
  for (const line of onlyInSchema) console.error(`only in prisma/schema.prisma: ${line}`);
  for (const line of onlyInMigrations) console.error(`only in the migrations: ${line}`);
  if (onlyInSchema.length + onlyInMigrations.length > 0) return 1;
  console.log('The migrations and prisma/schema.prisma agree.');
  return 0;
}

async function create(databaseUrl: string, name: string, commit: string): Promise<number> {
  const from = execFileSync('git', ['show', `${commit}:./schema.prisma`], {
    cwd: dirname(SCHEMA_PATH),
    encoding: 'utf8',
  });
  const path = await writeMigration(databaseUrl, { name, from, to: await readFile(SCHEMA_PATH, 'utf8') });
  console.log(path === undefined ? `Nothing to write: the schema is that of ${commit}.` : `Wrote ${path}`);
  return 0;
}

// The engine leaves timers of ten seconds behind, which would hold the process up for as long.
main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(1);
  },
);

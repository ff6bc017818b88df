// For developers, on a server where DATABASE_URL may create databases:
// npm run schema -- check                            compares prisma/schema.prisma with the migrations
// npm run schema -- create <name> [--from <commit>]  writes the migration from that commit's schema (HEAD) to yours
import { withExplicitSslMode } from '@deckhand/contracts';
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { compareSchema, SCHEMA_PATH, writeMigration } from '../schema/index.ts';
import { requireDatabaseUrl, runCommand, UsageError } from './run-command.ts';

const USAGE = 'Say what to do: npm run schema -- check, or npm run schema -- create <name> [--from <commit>]';

await runCommand('npm run schema', async (print) => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { from: { type: 'string', default: 'HEAD' } },
  });
  const [command, name] = positionals;
  const isKnown = command === 'check' || (command === 'create' && name !== undefined);
  if (!isKnown) throw new UsageError(USAGE);
  const databaseUrl = withExplicitSslMode(requireDatabaseUrl('DATABASE_URL', process.env.DATABASE_URL));
  print(
    command === 'check' || name === undefined ? await check(databaseUrl) : await create(databaseUrl, name, values.from),
  );
});

async function check(databaseUrl: string): Promise<string> {
  const { onlyInSchema, onlyInMigrations } = await compareSchema(databaseUrl);
  const differences = [
    ...onlyInSchema.map((line) => `only in prisma/schema.prisma: ${line}`),
    ...onlyInMigrations.map((line) => `only in the migrations: ${line}`),
  ];
  if (differences.length > 0) throw new Error(differences.join('\n'));
  return 'The migrations and prisma/schema.prisma agree.';
}

async function create(databaseUrl: string, name: string, commit: string): Promise<string> {
  const from = execFileSync('git', ['show', `${commit}:./schema.prisma`], {
    cwd: dirname(SCHEMA_PATH),
    encoding: 'utf8',
    // The error contains the message of git.
    stdio: 'pipe',
  });
  const path = await writeMigration(databaseUrl, { name, from, to: await readFile(SCHEMA_PATH, 'utf8') });
  return path === undefined ? `Nothing to write: the schema is that of ${commit}.` : `Wrote ${path}`;
}

// The schema engine leaves timers of ten seconds behind, which would delay the end of the process.
process.exit();

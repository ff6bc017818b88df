import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the schema. Sources and compiled files have the same depth below the repository. */
const PRISMA_FOLDER = fileURLToPath(new URL('../../../../prisma/', import.meta.url));

/** The folder of the migrations: one subfolder each, named `<timestamp>_<name>`. */
const MIGRATIONS_FOLDER = join(PRISMA_FOLDER, 'migrations');

/** First line of a migration whose statements run one by one, outside a transaction. */
const NO_TRANSACTION = 'no-transaction';

/** A first line that is a directive for the migration runner. */
const DIRECTIVE = /^--\s*deckhand:\s*(.*?)\s*$/;

/** One migration of the folder. */
export interface Migration {
  /** Name of its folder. */
  readonly name: string;
  readonly sql: string;
  /** False if each statement is committed by itself, as `CREATE INDEX CONCURRENTLY` requires. */
  readonly isTransactional: boolean;
}

/** Returns the names of the migrations in `directory`, oldest first; none when there is no such folder. */
export async function listMigrations(directory: string = MIGRATIONS_FOLDER): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/**
 * Returns the migrations of `directory`, oldest first.
 * @throws when one has no `migration.sql`, or a directive that is not known.
 */
export async function readMigrations(directory: string = MIGRATIONS_FOLDER): Promise<Migration[]> {
  const names = await listMigrations(directory);
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(directory, name, 'migration.sql'), 'utf8');
      return { name, sql, isTransactional: isTransactional(name, sql) };
    }),
  );
}

function isTransactional(name: string, sql: string): boolean {
  const [firstLine = ''] = sql.split('\n', 1);
  const directive = DIRECTIVE.exec(firstLine)?.[1];
  if (directive === undefined) return true;
  if (directive === NO_TRANSACTION) return false;
  throw new Error(`migration ${name}: there is no directive "${directive}", only "${NO_TRANSACTION}"`);
}

/** Returns the checksum that Prisma records for a migration: SHA-256 of its SQL, hex. */
export function checksumOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex');
}

/** Returns true if `checksum` was recorded for this SQL. Like Prisma, it ignores the line endings of the checkout. */
export function hasChecksum(sql: string, checksum: string): boolean {
  const unix = sql.replaceAll('\r\n', '\n');
  return [sql, unix, unix.replaceAll('\n', '\r\n')].some((variant) => checksumOf(variant) === checksum);
}

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DiffTarget, MigrationList } from '@prisma/schema-engine-wasm';

/** The schema's folder. The sources and what they compile to lie equally deep below the repository. */
const PRISMA_FOLDER = fileURLToPath(new URL('../../../../prisma/', import.meta.url));

/** Where migrations are kept: a folder each, named `<timestamp>_<name>`. */
export const MIGRATIONS_FOLDER = join(PRISMA_FOLDER, 'migrations');

const LOCK_FILE = 'migration_lock.toml';
const SQL_FILE = 'migration.sql';

/** Names of the migrations in `directory`, oldest first; none when there is no such folder. */
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

/** The migrations of `directory` with their SQL, as the schema engine takes them. */
export async function readMigrations(directory: string = MIGRATIONS_FOLDER): Promise<MigrationList> {
  const names = await listMigrations(directory);
  return {
    baseDir: directory,
    lockfile: { path: LOCK_FILE, content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.map(async (name) => ({
        path: name,
        migrationFile: {
          path: SQL_FILE,
          content: { tag: 'ok' as const, value: await readFile(join(directory, name, SQL_FILE), 'utf8') },
        },
      })),
    ),
  };
}

/** The schema that the migrations should add up to. */
export async function readSchema(): Promise<DiffTarget> {
  const path = join(PRISMA_FOLDER, 'schema.prisma');
  return { tag: 'schemaDatamodel', files: [{ path, content: await readFile(path, 'utf8') }] };
}

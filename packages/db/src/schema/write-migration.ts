import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SCHEMA_PATH } from './compare-schema.ts';
import { sqlBetween } from './schema-engine.ts';

/**
 * Writes the next migration, `<timestamp>_<name>`, with the SQL that changes one datamodel into the other. Read it
 * before you commit it: a migration that has run anywhere is never edited. @returns the path written, or undefined if
 * the datamodels are equal.
 */
export async function writeMigration(
  databaseUrl: string,
  options: { readonly name: string; readonly from: string; readonly to: string },
): Promise<string | undefined> {
  const sql = await sqlBetween(databaseUrl, options.from, options.to);
  if (isEmpty(sql)) return undefined;
  const timestamp = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const name = `${timestamp}_${options.name.replaceAll(/\W+/g, '_').toLowerCase()}`;
  const folder = join(dirname(SCHEMA_PATH), 'migrations', name);
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'migration.sql');
  await writeFile(path, sql);
  return path;
}

/** The engine returns a comment when there is nothing to do. */
function isEmpty(sql: string): boolean {
  return sql.split('\n').every((line) => line.trim() === '' || line.startsWith('--'));
}

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SCHEMA_PATH } from './compare-schema.js';
import { sqlBetween } from './schema-engine.js';

/**
 * Writes the next migration, `<timestamp>_<name>`: the SQL that leads from one datamodel to the other. Read it before
 * it is committed, for it is never edited once it ran anywhere.
 * @returns the path written, or undefined when the datamodels agree.
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

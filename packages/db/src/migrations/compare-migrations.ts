import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MIGRATIONS_FOLDER, readMigrations, readSchema } from './migration-files.js';
import { withSchemaEngine } from './schema-engine.js';
import { withScratchDatabase } from './scratch-database.js';

/**
 * Whether schema.prisma and the migrations agree: the SQL that the next migration would need, empty when they do.
 * Replays every migration in a scratch database on the server of `databaseUrl`.
 *
 * Migrations may hold SQL that schema.prisma cannot say. The comparison overlooks partial indexes, indexes over
 * expressions, check and exclusion constraints, functions, triggers, views, sequences, extensions and storage settings.
 * It does see, and would drop: any index over plain columns (also GIN with gin_trgm_ops, INCLUDE, NULLS LAST, BRIN) and
 * generated columns. Say those in schema.prisma where it can (`@@index([x(ops: raw("gin_trgm_ops"))], type: Gin)`),
 * else index an expression such as `lower(x)`.
 */
export async function checkMigrations(databaseUrl: string, directory?: string): Promise<string> {
  const [migrations, schema] = await Promise.all([readMigrations(directory), readSchema()]);
  const sql = await withScratchDatabase(databaseUrl, (scratchUrl) =>
    withSchemaEngine(scratchUrl, (engine) => engine.sqlBetween({ tag: 'migrations', ...migrations }, schema)),
  );
  return isEmpty(sql) ? '' : sql;
}

/**
 * Writes the next migration, `<timestamp>_<name>`, from what schema.prisma has and the migrations don't.
 * For developers; read it before it is committed, for it is never edited once it ran anywhere.
 * @returns the path written, or undefined when there is nothing to write.
 */
export async function writeMigration(databaseUrl: string, name: string): Promise<string | undefined> {
  const sql = await checkMigrations(databaseUrl);
  if (sql === '') return undefined;
  const timestamp = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const folder = join(MIGRATIONS_FOLDER, `${timestamp}_${name.replaceAll(/\W+/g, '_').toLowerCase()}`);
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'migration.sql');
  await writeFile(path, sql);
  return path;
}

/** The engine answers a comment when there is nothing to do. */
function isEmpty(sql: string): boolean {
  return sql.split('\n').every((line) => line.trim() === '' || line.startsWith('--'));
}

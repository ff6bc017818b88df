import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import { type DiagnoseMigrationHistoryOutput, SchemaEngine } from '@prisma/schema-engine-wasm';
import { readMigrations } from '../migrations/migration-files.ts';

/** No part of the database is managed outside of the datamodel. */
const NO_FILTERS = { externalTables: [], externalEnums: [] };

/**
 * Returns the SQL that changes one datamodel into another, as Prisma's schema engine writes it.
 * @param databaseUrl a database on a server of the kind that the SQL is for; it is not changed.
 * @param from the text of a schema.prisma; undefined is an empty database.
 * @param to the text of a schema.prisma.
 */
export async function sqlBetween(databaseUrl: string, from: string | undefined, to: string): Promise<string> {
  const engine = await openEngine(databaseUrl);
  const { stdout } = await engine.diff({
    from: from === undefined ? { tag: 'empty' } : datamodel(from),
    to: datamodel(to),
    script: true,
    exitCode: null,
    filters: NO_FILTERS,
  });
  return stdout ?? '';
}

/** Returns what `prisma migrate status` finds in a database: migrations that are missing, failed or edited. */
export async function readPrismaStatus(
  databaseUrl: string,
  directory?: string,
): Promise<DiagnoseMigrationHistoryOutput> {
  const migrations = await readMigrations(directory);
  const engine = await openEngine(databaseUrl);
  return engine.diagnoseMigrationHistory({
    migrationsList: {
      baseDir: directory ?? '',
      lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
      shadowDbInitScript: '',
      migrationDirectories: migrations.map(({ name, sql }) => ({
        path: name,
        migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
      })),
    },
    optInToShadowDatabase: false,
    filters: NO_FILTERS,
  });
}

function openEngine(databaseUrl: string): Promise<SchemaEngine> {
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg({ connectionString: databaseUrl }));
  return SchemaEngine.new({ datamodels: undefined }, () => undefined, adapter);
}

function datamodel(content: string) {
  return { tag: 'schemaDatamodel' as const, files: [{ path: 'schema.prisma', content }] };
}

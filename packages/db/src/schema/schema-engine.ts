import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import { SchemaEngine } from '@prisma/schema-engine-wasm';

/**
 * Returns the SQL that leads from one datamodel to another, as Prisma's schema engine writes it.
 * @param databaseUrl a database on the kind of server that the SQL is for; it is not changed.
 * @param from the text of a schema.prisma; undefined is an empty database.
 * @param to the text of a schema.prisma.
 */
export async function sqlBetween(databaseUrl: string, from: string | undefined, to: string): Promise<string> {
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg({ connectionString: databaseUrl }));
  const engine = await SchemaEngine.new({ datamodels: undefined }, () => undefined, adapter);
  const { stdout } = await engine.diff({
    from: from === undefined ? { tag: 'empty' } : datamodel(from),
    to: datamodel(to),
    script: true,
    exitCode: null,
    filters: { externalTables: [], externalEnums: [] },
  });
  return stdout ?? '';
}

function datamodel(content: string) {
  return { tag: 'schemaDatamodel' as const, files: [{ path: 'schema.prisma', content }] };
}

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { applyMigrations } from '../migrations/apply-migrations.ts';
import { readCatalogue } from './catalogue.ts';
import { sqlBetween } from './schema-engine.ts';

/** The datamodel. Sources and compiled files have the same depth below the repository. */
export const SCHEMA_PATH = fileURLToPath(new URL('../../../../prisma/schema.prisma', import.meta.url));

/** Differences between two schemas, a line for each column, key, index and enum. */
export interface SchemaDifferences {
  readonly onlyInSchema: readonly string[];
  readonly onlyInMigrations: readonly string[];
}

/**
 * Compares schema.prisma with what the migrations add up to: each is built in a scratch database on the server of
 * `databaseUrl`, whose user must be allowed to create databases. What schema.prisma cannot say is not compared (see
 * `readCatalogue`).
 * @param options.schema the datamodel's text; that of the repository by default.
 */
export async function compareSchema(
  databaseUrl: string,
  options: { schema?: string; directory?: string } = {},
): Promise<SchemaDifferences> {
  const { schema = await readFile(SCHEMA_PATH, 'utf8'), directory } = options;
  const [wanted, present] = await Promise.all([
    withScratchDatabase(databaseUrl, async (url) => {
      await execute(url, await sqlBetween(url, undefined, schema));
      return readCatalogue(url);
    }),
    withScratchDatabase(databaseUrl, async (url) => {
      await applyMigrations({ databaseUrl: url, ...(directory === undefined ? {} : { directory }) });
      return readCatalogue(url);
    }),
  ]);
  return {
    onlyInSchema: [...wanted].filter((line) => !present.has(line)),
    onlyInMigrations: [...present].filter((line) => !wanted.has(line)),
  };
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Operator classes of indexes come with extensions, which a datamodel cannot express.
    await client.query(`CREATE EXTENSION IF NOT EXISTS pg_trgm; CREATE EXTENSION IF NOT EXISTS btree_gin; ${sql}`);
  } finally {
    await client.end();
  }
}

/**
 * Calls a function with an empty database on the server of `databaseUrl`, and drops the database afterwards in any
 * case. The URL's user must be allowed to create databases.
 */
async function withScratchDatabase<T>(databaseUrl: string, use: (scratchUrl: string) => Promise<T>): Promise<T> {
  const name = `scratch_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name}`);
    try {
      const url = new URL(databaseUrl);
      url.pathname = `/${name}`;
      return await use(url.href);
    } finally {
      await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
    }
  } finally {
    await client.end();
  }
}

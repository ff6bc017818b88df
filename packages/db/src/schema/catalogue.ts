import pg from 'pg';

/** Tables that a datamodel describes: not those of extensions or Prisma, and of partitioned ones only the whole. */
const TABLES = `
tables AS (
  SELECT c.oid, c.relname FROM pg_class c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND c.relname <> '_prisma_migrations'
    AND NOT EXISTS (
      SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
    )
)`;

const COLUMNS = `
SELECT 'column ' || t.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
  || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END
  || CASE WHEN a.attgenerated <> '' THEN ' generated' ELSE '' END
  || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
FROM tables t
JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum`;

const KEYS = `
SELECT 'key ' || t.relname || '.' || k.conname || ' ' || pg_get_constraintdef(k.oid)
FROM tables t JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype IN ('p', 'u', 'f')`;

/** Without storage settings, which a datamodel cannot express, and as if no table were partitioned. */
const INDEXES = `
SELECT 'index ' || regexp_replace(regexp_replace(pg_get_indexdef(i.indexrelid), ' WITH \\([^)]*\\)', ''), ' ON ONLY ', ' ON ')
FROM tables t JOIN pg_index i ON i.indrelid = t.oid AND i.indpred IS NULL AND i.indexprs IS NULL
WHERE NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))`;

const ENUMS = `
SELECT 'enum ' || t.typname || ' ' || string_agg(e.enumlabel, ', ' ORDER BY e.enumsortorder)
FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid
WHERE t.typnamespace = current_schema()::regnamespace
GROUP BY t.typname`;

const LINES = [COLUMNS, KEYS, INDEXES, ENUMS].join(' UNION ALL ');

/**
 * Returns what a datamodel can express about a database, a line for each column, key, plain index and enum. Partial and
 * expression indexes, checks, functions, triggers, extensions and storage settings are left out.
 */
export async function readCatalogue(databaseUrl: string): Promise<Set<string>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ line: string }>(
      `WITH ${TABLES} SELECT line FROM (${LINES}) AS lines (line) ORDER BY line`,
    );
    return new Set(rows.map(({ line }) => line));
  } finally {
    await client.end();
  }
}

import { type Database, Prisma } from '../client.js';

/** Tables that grow from nothing to many rows within seconds. */
const GROWING = ['executions', 'node_runs', 'node_iterations'] as const;
/** Rows from which PostgreSQL's own pace of analysing is enough. */
const SMALL_ROWS = 50_000;
/** Changes that make a look worth while. */
const CHANGES_MIN = 2_000;

/**
 * Analyses tables that have outgrown what the planner knows of them. Statements are planned once a connection: those
 * that were planned while a table was empty read all of it, every time, until its statistics change; autovacuum looks
 * once a minute, and a new installation under load has a hundred thousand runs by then.
 * @returns the tables it analysed.
 */
export async function refreshStatistics(db: Database): Promise<string[]> {
  const outgrown = await db.$queryRaw<{ table: string }[]>`/* maintenance.find-outgrown */
    SELECT s.relname AS "table" FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
    WHERE s.relname = ANY (${[...GROWING]}::text[]) AND s.schemaname = current_schema() AND c.reltuples < ${SMALL_ROWS}
      AND s.n_mod_since_analyze > greatest(${CHANGES_MIN}, 2 * c.reltuples)`;
  const tables = GROWING.filter((name) => outgrown.some(({ table }) => table === name));
  for (const table of tables) await db.$executeRaw(Prisma.sql`ANALYZE ${Prisma.raw(table)}`);
  return tables;
}

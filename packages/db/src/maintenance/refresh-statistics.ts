import { type Database, Prisma } from '../client.js';

/** Tables that may grow from empty to many rows within seconds. */
const GROWING = ['executions', 'node_runs', 'node_iterations'] as const;
/** Number of rows above which autovacuum analyses often enough. */
const SMALL_ROWS = 50_000;
/** Number of changes after which a table is checked. */
const CHANGES_MIN = 2_000;

/**
 * Analyses tables that have outgrown their statistics. Each connection plans a statement once: a plan that was made
 * while a table was empty scans the whole table, every time, until its statistics change. Autovacuum checks once a
 * minute, and a new installation under load has a hundred thousand runs by then.
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

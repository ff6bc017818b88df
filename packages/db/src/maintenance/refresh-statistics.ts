import type { Database } from '../client.ts';

/** Tables whose partitions may grow from empty to many rows within seconds. */
const GROWING = ['executions', 'node_runs', 'node_iterations'] as const;
/** Number of rows above which autovacuum analyses often enough. */
const SMALL_ROWS = 50_000;
/** Number of changes after which a table is checked. */
const CHANGES_MIN = 2_000;

/**
 * Analyses partitions that have outgrown their statistics. Each connection plans a statement once: a plan that was made
 * while a table was empty scans the whole table, every time, until its statistics change. Autovacuum checks once a
 * minute, and a new installation under load has a hundred thousand runs by then.
 * @returns the partitions it analysed.
 */
export async function refreshStatistics(db: Database): Promise<string[]> {
  const outgrown = await db.$queryRaw<{ partition: string }[]>`/* maintenance.find-outgrown */
    SELECT p.partition_name AS "partition" FROM run_partitions p
    JOIN pg_class c ON c.oid = to_regclass(quote_ident(p.partition_name)) JOIN pg_stat_user_tables s ON s.relid = c.oid
    WHERE p.table_name = ANY (${[...GROWING]}::text[]) AND c.reltuples < ${SMALL_ROWS}
      AND s.n_mod_since_analyze > greatest(${CHANGES_MIN}, 2 * c.reltuples)`;
  const partitions = outgrown.map(({ partition }) => partition);
  for (const partition of partitions) await db.$executeRaw`SELECT analyze_run_partition(${partition})`;
  return partitions;
}

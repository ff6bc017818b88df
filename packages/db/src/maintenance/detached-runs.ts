import { type Database, Prisma } from '../client.ts';
import { limitSession } from '../session-limits.ts';
import { DROP_LIMIT_MS } from './run-partitions.ts';

/** Tables with rows of runs. Large outputs are named without their content. */
export type DetachedTable = 'executions' | 'node_runs' | 'node_iterations' | 'waits' | 'large_outputs';

/** A row of a run of a detached partition. */
export interface DetachedRow {
  readonly executionId: string;
  /** The rest of its key; of a run, its workspace, its workflow, and when it was created (ISO 8601). */
  readonly key: readonly string[];
  /** The row, as serialised JSON with the names of its columns. */
  readonly row: string;
}

/** Where to continue: after a row, or after all rows of a run if `key` is null. */
export interface DetachedPosition {
  readonly executionId: string;
  readonly key: readonly string[] | null;
}

/** Before all rows. */
export const FIRST_DETACHED: DetachedPosition = { executionId: '00000000-0000-0000-0000-000000000000', key: null };

/** Reads rows of a detached partition, in the order of their runs and keys. Served by the primary keys. */
export function readDetachedRows(
  db: Database,
  partition: string,
  page: { readonly table: DetachedTable; readonly after: DetachedPosition; readonly limit: number },
): Promise<DetachedRow[]> {
  const key = page.after.key === null ? null : [...page.after.key];
  return db.$queryRaw<DetachedRow[]>(Prisma.sql`/* partitions.read-detached */
    SELECT execution_id AS "executionId", key, row
    FROM read_detached_run_partition(${partition}, ${page.table}, ${page.after.executionId}::uuid, ${key}::text[], ${page.limit}::int)`);
}

/** What a copy of a detached partition is compared with. */
export interface DetachedSums {
  readonly runs: number;
  /** The sum of the last 32 bits of the ids of its runs. */
  readonly checksum: number;
}

/**
 * Counts the runs of a detached partition, which may take a while. @returns undefined if there is no such partition.
 */
export function sumDetachedRuns(db: Database, partition: string): Promise<DetachedSums | undefined> {
  return db.$transaction(
    async (tx) => {
      await limitSession(tx, { statement_timeout: DROP_LIMIT_MS });
      const [row] = await tx.$queryRaw<DetachedSums[]>(Prisma.sql`/* partitions.sum-detached */
        SELECT runs::float8 AS runs, checksum::float8 AS checksum FROM sum_detached_run_partition(${partition})`);
      return row;
    },
    { timeout: DROP_LIMIT_MS },
  );
}

/** Returns those of the given workspaces that exist. */
export async function findWorkspaces(db: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.workspace.findMany({ where: { id: { in: [...new Set(ids)] } }, select: { id: true } });
  return new Set(rows.map(({ id }) => id));
}

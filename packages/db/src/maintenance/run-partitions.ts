import { type Database, Prisma } from '../client.ts';
import { limitSession } from '../session-limits.ts';

/*
 * The tables of runs are partitioned by the time in the run's id (prisma/migrations, run_partitions). Partitions are
 * created, detached and dropped by functions of the database, because the role of the apps may not own the tables.
 */

/** How far ahead partitions are created, in days: more than any clock is wrong, and than most instances pause. */
const AHEAD_DAYS = 8;
/** Number of partitions in a retention time. More would delete runs closer to their time, and cost every statement. */
const PARTITIONS_IN_RETENTION = 12;
/** Longest time of a partition, in days. */
const MAX_SPAN_DAYS = 90;
/** How long dropping a partition may take, in ms: the bytes of all of its runs are summed up first. */
export const DROP_LIMIT_MS = 600_000;

/** Returns how many days of runs a new partition contains. @param runRetentionDays null if runs are kept forever. */
export function partitionSpanDays(runRetentionDays: number | null): number {
  if (runRetentionDays === null) return MAX_SPAN_DAYS;
  return Math.min(Math.max(Math.floor(runRetentionDays / PARTITIONS_IN_RETENTION), 1), MAX_SPAN_DAYS);
}

/** Creates the partitions of the next days that are missing. @returns how many, of each table. */
export async function createRunPartitions(db: Database, runRetentionDays: number | null): Promise<number> {
  const [row] = await db.$queryRaw<{ created: number }[]>(Prisma.sql`/* partitions.create */
    SELECT create_run_partitions(now() + ${AHEAD_DAYS}::int * interval '1 day',
      ${partitionSpanDays(runRetentionDays)}::int * interval '1 day') AS created`);
  return row?.created ?? 0;
}

/**
 * Detaches the oldest partition if all of its runs finished more than so many days ago. Its runs are gone at once.
 * @returns its suffix; null if there is none, or the tables are in use at the moment.
 */
export async function detachExpiredRunPartition(db: Database, days: number): Promise<string | null> {
  const [row] = await db.$queryRaw<{ suffix: string | null }[]>(Prisma.sql`/* partitions.detach-expired */
    SELECT detach_expired_run_partition(now() - ${days}::int * interval '1 day') AS suffix`);
  return row?.suffix ?? null;
}

/** Returns the suffixes of partitions that are detached and yet to be dropped. */
export async function findDetachedRunPartitions(db: Database): Promise<string[]> {
  const rows = await db.$queryRaw<{ suffix: string }[]>(Prisma.sql`/* partitions.find-detached */
    SELECT suffix FROM detached_run_partitions() AS suffix`);
  return rows.map(({ suffix }) => suffix);
}

/** Deletes rows of other tables that belong to runs of a detached partition. @returns false once there are none. */
export async function deleteLeftoversOfRunPartition(db: Database, suffix: string, maxRows: number): Promise<boolean> {
  const [row] = await db.$queryRaw<{ deleted: number }[]>(Prisma.sql`/* partitions.delete-leftovers */
    SELECT delete_leftovers_of_run_partition(${suffix}, ${maxRows}::int) AS deleted`);
  return (row?.deleted ?? 0) > 0;
}

/** Drops a detached partition, and subtracts its bytes from the workspaces. @returns the number of its runs. */
export function dropDetachedRunPartition(db: Database, suffix: string): Promise<number> {
  return db.$transaction(
    async (tx) => {
      await limitSession(tx, { statement_timeout: DROP_LIMIT_MS });
      const [row] = await tx.$queryRaw<{ runs: number }[]>(Prisma.sql`/* partitions.drop-detached */
        SELECT drop_detached_run_partition(${suffix})::float8 AS runs`);
      return row?.runs ?? 0;
    },
    { timeout: DROP_LIMIT_MS },
  );
}

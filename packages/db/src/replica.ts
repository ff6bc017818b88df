import { type Database, Prisma } from './client.ts';

/**
 * A position in PostgreSQL's write-ahead log, in bytes. A replica that has replayed up to a position has everything
 * that was committed before it.
 */
export type WalPosition = bigint;

/** Reads up to where the primary has written its log to disk. @throws on a replica. */
export async function readFlushedPosition(primary: Database): Promise<WalPosition> {
  const [row] = await primary.$queryRaw<{ position: string }[]>(Prisma.sql`/* replica.flushed */
    SELECT (pg_current_wal_flush_lsn() - '0/0')::text AS position`);
  if (!row) throw new Error('the primary did not return its position');
  return BigInt(row.position);
}

/** Reads up to where a replica has replayed the log. @returns undefined for a server that is not a replica. */
export async function readReplayedPosition(replica: Database): Promise<WalPosition | undefined> {
  const [row] = await replica.$queryRaw<{ position: string | null }[]>(Prisma.sql`/* replica.replayed */
    SELECT CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0')::text END AS position`);
  return typeof row?.position === 'string' ? BigInt(row.position) : undefined;
}

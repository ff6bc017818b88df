import { Prisma, type Queryable } from './client.ts';

/**
 * Time in ms after which PostgreSQL ends a transaction that holds such a lock and sends no statement, so that a frozen
 * worker does not block all others.
 */
const IDLE_TIMEOUT_MS = 5_000;

/** Takes advisory locks by their names until the transaction ends. One that is idle for IDLE_TIMEOUT_MS is aborted. */
export async function lockNames(tx: Queryable, names: readonly string[]): Promise<void> {
  // In the order of the keys, so that two transactions that lock several never deadlock.
  await tx.$queryRaw(Prisma.sql`/* advisory-locks.lock */
    SELECT set_config('idle_in_transaction_session_timeout', ${String(IDLE_TIMEOUT_MS)}, true),
      pg_advisory_xact_lock(key)::text
    FROM (
      SELECT DISTINCT hashtextextended(name, 0) AS key FROM unnest(${[...names]}::text[]) AS name ORDER BY key OFFSET 0
    ) keys`);
}

/** Has the statements of a transaction fail (`isLockTimeout`) that would wait longer for a lock. @param ms above 0. */
export async function limitLockWaits(tx: Queryable, ms: number): Promise<void> {
  await tx.$queryRaw(Prisma.sql`SELECT set_config('lock_timeout', ${String(ms)}, true)`);
}

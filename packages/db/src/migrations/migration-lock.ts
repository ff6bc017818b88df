import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/**
 * Keys of the advisory locks of a migrating session, in the order in which they are taken: Deckhand's own, then that of
 * Prisma's commands.
 */
const LOCK_KEYS = [3_325_004, 72_707_369];

/** Time between two attempts to take a lock, in ms. */
const POLL_MS = 500;
/** Time between two lines about the same wait, in ms. */
const REMIND_MS = 30_000;

/**
 * Takes the locks under which one process at a time migrates a database, for the rest of the session. Waits while
 * another process has them, and reports that it waits. It polls, because a statement that waits for a lock keeps a
 * snapshot: `CREATE INDEX CONCURRENTLY` of the process that has the lock waits for the end of every older snapshot, so
 * the two would deadlock.
 */
export async function acquireMigrationLock(client: pg.Client, report: (line: string) => void): Promise<void> {
  for (const key of LOCK_KEYS) await acquire(client, key, report);
}

async function acquire(client: pg.Client, key: number, report: (line: string) => void): Promise<void> {
  let reportedAt = -Infinity;
  while (!(await tryLock(client, key))) {
    if (performance.now() - reportedAt >= REMIND_MS) {
      report('waiting for another process that migrates this database');
      reportedAt = performance.now();
    }
    await sleep(POLL_MS);
  }
}

async function tryLock(client: pg.Client, key: number): Promise<boolean> {
  const { rows } = await client.query<{ acquired: boolean }>('SELECT pg_try_advisory_lock($1) AS acquired', [key]);
  return rows[0]?.acquired === true;
}

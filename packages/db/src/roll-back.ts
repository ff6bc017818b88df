import type { Database, Queryable } from './client.js';

/** Ends a transaction in which nothing is wrong. */
class RolledBack extends Error {}

/** Does work in a transaction that is rolled back, to find out whether it could be done. @throws what `work` throws. */
export async function runAndRollBack(db: Database, work: (tx: Queryable) => Promise<unknown>): Promise<void> {
  try {
    await db.$transaction(async (tx) => {
      await work(tx);
      throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
}

import type { Database, Queryable } from './client.ts';

/** Thrown to roll back a transaction without an error. */
class RolledBack extends Error {}

/** Runs `work` in a transaction that is rolled back, to check whether it would succeed. @throws what `work` throws. */
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

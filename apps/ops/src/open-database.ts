import { createDatabase, type Database, isStoreUnavailable } from '@deckhand/db';
import type { DatabaseSettings } from '@deckhand/runtime';
import { ExitError } from '@deckhand/terminal';

/** Maximum number of connections: an operator's command must not compete with the instance. */
const POOL_SIZE = 2;

/** Opens the database while `use` runs. @throws ExitError if it cannot be reached. */
export async function withDatabase<T>(settings: DatabaseSettings, use: (db: Database) => Promise<T>): Promise<T> {
  const db = createDatabase({
    url: settings.DATABASE_URL,
    poolSize: POOL_SIZE,
    preparesStatements: settings.DATABASE_PREPARED_STATEMENTS,
  });
  try {
    return await use(db);
  } catch (error) {
    if (!isStoreUnavailable(error)) throw error;
    throw new ExitError(
      'PostgreSQL (DATABASE_URL) cannot be reached. What was done stands; do the rest by the same command.',
    );
  } finally {
    await db.$disconnect();
  }
}

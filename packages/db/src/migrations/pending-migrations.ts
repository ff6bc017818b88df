import { withExplicitSslMode } from '@deckhand/contracts';
import pg from 'pg';
import { listMigrations } from './migration-files.ts';
import { readApplied } from './migration-records.ts';

/** How long the database may take to be reached, and to answer, in ms. */
const ANSWER_MS = 5_000;

/**
 * Returns the names of the migrations that the database does not have yet, the oldest first: a process is not ready
 * while there are any. Opens a connection of its own. Once the result was empty, it stays empty for the life of the
 * process.
 */
export async function findPendingMigrations(databaseUrl: string, directory?: string): Promise<string[]> {
  const client = new pg.Client({
    connectionString: withExplicitSslMode(databaseUrl),
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  });
  // A connection that breaks while it is idle is noticed by the next query.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const applied = await readApplied(client);
    return (await listMigrations(directory)).filter((name) => !applied.has(name));
  } finally {
    await client.end();
  }
}

/** Returns a log message that says which migrations a process waits for, and what to do. */
export function describePending(pending: readonly string[]): string {
  const [first = ''] = pending;
  const which = pending.length === 1 ? `the migration ${first}` : `${pending.length} migrations, from ${first} on`;
  return `the database is older than this process, which needs ${which}: run them with "npm run migrate"`;
}

import { withExplicitSslMode } from '@deckhand/contracts';
import pg from 'pg';
import { listMigrations } from './migration-files.js';
import { readApplied } from './migration-records.js';

/** How long the database may take to be reached, and to answer, in ms. */
const ANSWER_MS = 5_000;

/**
 * Names of the migrations that the database has not had yet, oldest first: a process is not ready while there are any.
 * Opens a connection of its own; once the answer was empty, it stays so for the life of the process.
 */
export async function pendingMigrations(databaseUrl: string, directory?: string): Promise<string[]> {
  const client = new pg.Client({
    connectionString: withExplicitSslMode(databaseUrl),
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  });
  // What breaks while nothing is asked is found with the next question.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const applied = await readApplied(client);
    return (await listMigrations(directory)).filter((name) => !applied.has(name));
  } finally {
    await client.end();
  }
}

/** Says to whoever reads a log what a process waits for, and what to do about it. */
export function describePending(pending: readonly string[]): string {
  const [first = ''] = pending;
  const which = pending.length === 1 ? `the migration ${first}` : `${pending.length} migrations, from ${first} on`;
  return `the database is older than this process, which needs ${which}: run them with "npm run migrate"`;
}

import { withExplicitSslMode } from '@deckhand/contracts';
import pg from 'pg';

/** How long the probe waits for each answer, in ms. */
const TIMEOUT_MS = 1_000;
/** PostgreSQL's words for having no room for one more connection: those that are there still write. */
const TOO_MANY_CONNECTIONS = '53300';

/**
 * Finds out whether PostgreSQL takes writes, with a connection made for it alone: neither a pool that is busy nor a
 * connection that died unnoticed speaks for the server.
 * @throws why it does not.
 */
export async function probeWrites(url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: withExplicitSslMode(url),
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    application_name: 'deckhand-write-probe',
  });
  // Without a listener a connection that breaks later would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    // Not by a parameter of the connection, which PgBouncer refuses.
    await client.query(`BEGIN; SET LOCAL statement_timeout = ${TIMEOUT_MS};
      INSERT INTO settings (name, value) VALUES ('writeProbe', to_jsonb(now()))
      ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value;
      COMMIT`);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === TOO_MANY_CONNECTIONS) return;
    throw error;
  } finally {
    // A frozen server would not answer the goodbye either.
    void client.end().catch(() => undefined);
  }
}

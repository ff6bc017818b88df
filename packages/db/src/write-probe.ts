import { withExplicitSslMode } from '@deckhand/contracts';
import pg from 'pg';

/** How long the probe waits for each response, in ms. */
const TIMEOUT_MS = 1_000;
/** PostgreSQL's error for too many connections: existing ones can still write. */
const TOO_MANY_CONNECTIONS = '53300';

/**
 * Checks whether PostgreSQL accepts writes, with a new connection: neither a busy pool nor a dead connection says
 * anything about the server. @throws the reason if it does not.
 */
export async function probeWrites(url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: withExplicitSslMode(url),
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    application_name: 'deckhand-write-probe',
  });
  // Without a listener, a connection that breaks later would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    // A parameter of the connection would be refused by PgBouncer.
    await client.query(`BEGIN; SET LOCAL statement_timeout = ${TIMEOUT_MS};
      INSERT INTO settings (name, value) VALUES ('writeProbe', to_jsonb(now()))
      ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value;
      COMMIT`);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === TOO_MANY_CONNECTIONS) return;
    throw error;
  } finally {
    // A frozen server would not respond to the end of the connection either.
    void client.end().catch(() => undefined);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { withExplicitSslMode } from '@deckhand/contracts';
import pg from 'pg';

/** How long the probe waits for each response, in ms. */
const TIMEOUT_MS = 1_000;
/** The wait is counted in steps of so many ms. */
const STEP_MS = 100;
/** When the connection is given up whatever is counted, in ms. */
const CONNECT_TIMEOUT_MS = 10_000;
/** PostgreSQL's error for too many connections: existing ones can still write. */
const TOO_MANY_CONNECTIONS = '53300';

/**
 * Checks whether PostgreSQL accepts writes, with a new connection: neither a busy pool nor a dead connection says
 * anything about the server. @throws the reason if it does not.
 */
export async function probeWrites(url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: withExplicitSslMode(url),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'deckhand-write-probe',
  });
  // Without a listener, a connection that breaks later would end the process.
  client.on('error', () => undefined);
  try {
    await answerOf(client.connect());
    // A parameter of the connection would be refused by PgBouncer.
    await answerOf(
      client.query(`BEGIN; SET LOCAL statement_timeout = ${TIMEOUT_MS};
        INSERT INTO settings (name, value) VALUES ('writeProbe', to_jsonb(now()))
        ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value;
        COMMIT`),
    );
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === TOO_MANY_CONNECTIONS) return;
    throw error;
  } finally {
    // A frozen server would not respond to the end of the connection either.
    void client.end().catch(() => undefined);
  }
}

/**
 * Returns a response of PostgreSQL. A timer would also measure how long this process was busy with something else, such
 * as large bodies, while the response lay unread: such a time is one step, and what came is read after each step.
 * @throws Error if there is none in time.
 */
async function answerOf<T>(response: Promise<T>): Promise<T> {
  const isOver = new AbortController();
  async function expire(): Promise<never> {
    for (let step = 0; step < TIMEOUT_MS / STEP_MS; step += 1) {
      await sleep(STEP_MS, undefined, { signal: isOver.signal, ref: false });
    }
    throw new Error(`PostgreSQL did not answer within ${TIMEOUT_MS} ms`);
  }
  try {
    return await Promise.race([response, expire()]);
  } finally {
    isOver.abort();
  }
}

import { isJsonObject, type JsonObject } from '@deckhand/contracts';
import { NodeError, type PostgresClient, type PostgresQuery, type PostgresResult } from '@deckhand/engine';
import { types } from 'node:util';
import pg from 'pg';
import Cursor from 'pg-cursor';
import { ANY_ADDRESS, PUBLIC_ONLY } from '../network/addresses.js';
import { untilAborted } from '../network/until-aborted.js';
import { connectionConfig } from './connection-config.js';
import { createPools } from './pools.js';
import { toNodeError } from './to-node-error.js';
import { jsonTypes } from './value-types.js';

/** Rows that are read at a time. */
const BATCH_ROWS = 500;
/** A longer result fails the query, in bytes of JSON. */
const MAX_RESULT_BYTES = 10_485_760;

/** A client with its own pools of connections. */
export interface PooledPostgresClient extends PostgresClient {
  /** Resolves once all connections are closed. */
  close(): Promise<void>;
}

/**
 * Creates the client that the nodes of a process share.
 * @param allowPrivate whether private addresses may be reached.
 */
export function createPostgresClient({ allowPrivate }: { allowPrivate: boolean }): PooledPostgresClient {
  const rules = allowPrivate ? ANY_ADDRESS : PUBLIC_ONLY;
  const pools = createPools();
  return {
    async query(query) {
      try {
        const config = await untilAborted(query.signal, () => connectionConfig(query.connectionString, rules));
        const pool = pools.get(query.connectionString, config);
        const client = await untilAborted(query.signal, () => connect(pool, query.signal));
        return await withClient(client, config, query);
      } catch (error) {
        query.signal.throwIfAborted();
        throw toNodeError(error);
      }
    },
    close: () => pools.close(),
  };
}

/** A connection that comes too late goes back at once. */
async function connect(pool: pg.Pool, signal: AbortSignal): Promise<pg.PoolClient> {
  const client = await pool.connect();
  if (signal.aborted) client.release();
  return client;
}

async function withClient(
  client: pg.PoolClient,
  config: pg.ClientConfig,
  query: PostgresQuery,
): Promise<PostgresResult> {
  let isBroken = true;
  const pid = client
    .query(`BEGIN${query.isReadOnly ? ' READ ONLY' : ''}; SELECT pg_backend_pid() AS pid`)
    .then(readPid);
  // Whoever waits for it is told; nobody does when the node is aborted first.
  pid.catch(() => undefined);
  const onAbort = (): void => {
    // Closing a connection does not end what it runs.
    pid.then((found) => cancel(config, found)).catch(() => undefined);
  };
  query.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const result = await untilAborted(query.signal, async () => {
      await pid;
      const read = await readResult(client, query);
      await client.query('COMMIT');
      return read;
    });
    isBroken = false;
    return result;
  } finally {
    query.signal.removeEventListener('abort', onAbort);
    // Whatever a failed query left behind, its transaction included, goes with the connection.
    client.release(isBroken);
  }
}

function readPid(results: unknown): number {
  const last: unknown = Array.isArray(results) ? results.at(-1) : results;
  const rows: unknown = isRecord(last) ? last.rows : undefined;
  const row: unknown = Array.isArray(rows) ? rows[0] : undefined;
  if (!isRecord(row) || typeof row.pid !== 'number') throw new TypeError('PostgreSQL did not say its process id');
  return row.pid;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

async function cancel(config: pg.ClientConfig, pid: number): Promise<void> {
  const client = new pg.Client(config);
  await client.connect();
  try {
    await client.query('SELECT pg_cancel_backend($1)', [pid]);
  } finally {
    await client.end();
  }
}

async function readResult(client: pg.PoolClient, query: PostgresQuery): Promise<PostgresResult> {
  const cursor = client.query(new Cursor<unknown>(query.text, [...query.values], { types: jsonTypes }));
  const rows: JsonObject[] = [];
  let bytes = 0;
  for (;;) {
    const wanted = Math.min(BATCH_ROWS, query.maxRows + 1 - rows.length);
    const batch = await readBatch(cursor, wanted);
    for (const row of batch.rows) {
      if (!isJsonObject(row)) throw new TypeError('a row is read as an object');
      bytes += JSON.stringify(row).length;
      rows.push(row);
    }
    if (rows.length > query.maxRows) throw tooLarge(`more than ${query.maxRows} rows`);
    if (bytes > MAX_RESULT_BYTES) throw tooLarge(`more than ${MAX_RESULT_BYTES} bytes`);
    if (batch.rows.length < wanted) return { rows, rowCount: batch.rowCount ?? rows.length };
  }
}

function readBatch(cursor: Cursor<unknown>, count: number): Promise<{ rows: unknown[]; rowCount: number | null }> {
  return new Promise((resolve, reject) => {
    cursor.read(count, (error: unknown, rows, result) => {
      if (types.isNativeError(error)) reject(error);
      else resolve({ rows, rowCount: result.rowCount });
    });
  });
}

function tooLarge(what: string): NodeError {
  const message = `the result has ${what}, so it was undone: ask for less, or for more room by maxRows`;
  return new NodeError('RESULT_TOO_LARGE', message, { isRetryable: false });
}

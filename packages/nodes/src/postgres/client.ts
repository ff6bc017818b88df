import { type PostgresClient, type PostgresQuery, type PostgresResult } from '@deckhand/engine';
import { ANY_ADDRESS, PUBLIC_ONLY } from '../network/addresses.ts';
import { untilAborted } from '../network/until-aborted.ts';
import { holdMemory, type OptionalBudget } from '../work/hold-memory.ts';
import { type ConnectionTarget, connectionTarget } from './connection-config.ts';
import { GuardedClient } from './guarded-client.ts';
import { invalid } from './message-guard.ts';
import { createPools, type Pools } from './pools.ts';
import { type HeldQuery, MAX_BATCH_BYTES, readResult } from './read-rows.ts';
import { toNodeError } from './to-node-error.ts';

/** Time limit for cancelling a statement, in ms. */
const CANCEL_LIMIT_MS = 5_000;
/** How long a server may take to reset a session, in ms. */
const RESET_LIMIT_MS = 5_000;

type Client = Awaited<ReturnType<Pools['connect']>>;

/** A client with its own pools of connections. */
export interface PooledPostgresClient extends PostgresClient {
  /** Resolves once all connections are closed. */
  close(): Promise<void>;
}

/**
 * Creates the PostgreSQL client that the nodes of a process share.
 * @param allowPrivate whether private addresses may be reached.
 * @param memory the budget for rows while they are read.
 */
export function createPostgresClient({
  allowPrivate,
  memory,
}: {
  allowPrivate: boolean;
  memory?: OptionalBudget;
}): PooledPostgresClient {
  const rules = allowPrivate ? ANY_ADDRESS : PUBLIC_ONLY;
  const pools = createPools();
  return {
    async query(query) {
      try {
        const target = await untilAborted(query.signal, () => connectionTarget(query.connectionString, rules));
        const client = await untilAborted(query.signal, () => connect(pools, target, query));
        return await holdMemory(memory, (hold) => withClient(client, target, { ...query, hold }));
      } catch (error) {
        query.signal.throwIfAborted();
        throw toNodeError(error);
      }
    },
    close: () => pools.close(),
  };
}

/** A connection that comes too late is released at once. */
async function connect(pools: Pools, target: ConnectionTarget, query: PostgresQuery): Promise<Client> {
  const client = await pools.connect(query, target);
  if (query.signal.aborted) client.release();
  return client;
}

async function withClient(client: Client, target: ConnectionTarget, query: HeldQuery): Promise<PostgresResult> {
  let isBroken = true;
  client.expect({ rows: 1, bytes: MAX_BATCH_BYTES });
  const pid = client
    .query(`BEGIN${query.isReadOnly ? ' READ ONLY' : ''}; SELECT pg_backend_pid() AS pid`)
    .then(readPid);
  // The caller gets the error, unless the node was aborted first.
  pid.catch(() => undefined);
  const onAbort = (): void => {
    // Closing a connection does not cancel its statement.
    pid.then((found) => cancel(target, found)).catch(() => undefined);
  };
  query.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const result = await untilAborted(query.signal, async () => {
      await pid;
      const read = await readResult(client, query);
      client.expect({ rows: 0, bytes: MAX_BATCH_BYTES });
      await client.query('COMMIT');
      return read;
    });
    isBroken = false;
    return result;
  } finally {
    query.signal.removeEventListener('abort', onAbort);
    // The connection of a failed query is closed, with its transaction. The caller does not wait for the reset.
    if (isBroken) client.release(true);
    else void giveBack(client);
  }
}

/**
 * Returns a connection to its pool without any state of its session: settings, roles, temporary tables, prepared
 * statements, cursors, advisory locks, subscriptions to notifications. A connection that cannot be reset is closed.
 */
async function giveBack(client: Client): Promise<void> {
  const limit = setTimeout(() => client.destroy(), RESET_LIMIT_MS);
  let isReset = false;
  try {
    client.expect({ rows: 0, bytes: MAX_BATCH_BYTES });
    await client.query('DISCARD ALL');
    isReset = true;
  } catch {
    // Servers without this statement get a new connection for each query.
  } finally {
    clearTimeout(limit);
    client.release(!isReset);
  }
}

function readPid(results: unknown): number {
  const last: unknown = Array.isArray(results) ? results.at(-1) : results;
  const rows: unknown = isRecord(last) ? last.rows : undefined;
  const row: unknown = Array.isArray(rows) ? rows[0] : undefined;
  if (!isRecord(row) || typeof row.pid !== 'number') throw invalid('no process id');
  return row.pid;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

async function cancel({ config, tls }: ConnectionTarget, pid: number): Promise<void> {
  const client = new GuardedClient(config, tls);
  const limit = setTimeout(() => client.destroy(), CANCEL_LIMIT_MS);
  try {
    await client.connect();
    client.expect({ rows: 1, bytes: MAX_BATCH_BYTES });
    await client.query('SELECT pg_cancel_backend($1)', [pid]);
  } finally {
    clearTimeout(limit);
    client.destroy();
  }
}

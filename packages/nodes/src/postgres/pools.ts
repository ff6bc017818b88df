import type { PostgresQuery } from '@deckhand/engine';
import pg from 'pg';
import type { ConnectionTarget } from './connection-config.ts';
import { GuardedClient } from './guarded-client.ts';

/** Maximum number of connections of one credential; further queries wait. */
const CONNECTIONS_PER_CREDENTIAL = 5;
/** An idle connection is closed after this time, in ms. */
const IDLE_MS = 10_000;

/** The parts of a query that decide which connections it may use. */
type PoolKey = Pick<PostgresQuery, 'owner' | 'connectionString'>;

/** Pools of connections, by owner, connection string and the address that it led to. */
export interface Pools {
  /** Returns a connection, which the caller has to release. Throws errors of the driver. */
  connect(query: PoolKey, target: ConnectionTarget): Promise<GuardedClient & pg.PoolClient>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Creates pools that are removed when their last connection closes. */
export function createPools(): Pools {
  const pools = new Map<string, pg.Pool>();

  function open(key: string, { config, tls }: ConnectionTarget): pg.Pool {
    const known = pools.get(key);
    if (known) return known;
    const pool = new pg.Pool({
      ...config,
      max: CONNECTIONS_PER_CREDENTIAL,
      idleTimeoutMillis: IDLE_MS,
      Client: class extends GuardedClient {
        constructor(given: pg.ClientConfig = {}) {
          super(given, tls);
        }
      },
    });
    // A connection that broke while idle: the next query gets another one.
    pool.on('error', () => undefined);
    pool.on('remove', () => forgetUnused(key, pool));
    pools.set(key, pool);
    return pool;
  }

  function forgetUnused(key: string, pool: pg.Pool): void {
    if (pool.totalCount === 0 && pool.waitingCount === 0) pools.delete(key);
  }

  return {
    async connect({ owner, connectionString }, target) {
      // A name that now resolves to another address gets a pool of its own.
      const key = JSON.stringify([owner, target.config.host, connectionString]);
      const pool = open(key, target);
      try {
        const client: unknown = await pool.connect();
        if (isGuarded(client)) return client;
        throw new TypeError('a pool has clients of its own class');
      } catch (error) {
        forgetUnused(key, pool);
        throw error;
      }
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.end()));
    },
  };
}

function isGuarded(client: unknown): client is GuardedClient & pg.PoolClient {
  return client instanceof GuardedClient;
}

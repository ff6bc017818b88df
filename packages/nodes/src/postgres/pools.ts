import pg from 'pg';

/** Connections to one database at most; further queries wait. */
const CONNECTIONS_PER_DATABASE = 5;
/** A connection that nobody used for this long is closed, in ms. */
const IDLE_MS = 10_000;

/** Pools of connections, by connection string and the address that it led to. */
export interface Pools {
  get(connectionString: string, config: pg.ClientConfig): pg.Pool;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Creates pools that go when their last connection does. */
export function createPools(): Pools {
  const pools = new Map<string, pg.Pool>();

  return {
    get(connectionString, config) {
      // A name that leads elsewhere now gets a pool of its own.
      const key = `${config.host ?? ''} ${connectionString}`;
      const known = pools.get(key);
      if (known) return known;
      const pool = new pg.Pool({ ...config, max: CONNECTIONS_PER_DATABASE, idleTimeoutMillis: IDLE_MS });
      // A connection that broke while nobody used it: the next query gets another.
      pool.on('error', () => undefined);
      pool.on('remove', () => {
        if (pool.totalCount === 0 && pool.waitingCount === 0) pools.delete(key);
      });
      pools.set(key, pool);
      return pool;
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.end()));
    },
  };
}

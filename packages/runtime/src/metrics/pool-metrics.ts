import { Gauge, type Registry } from 'prom-client';

/** How a pool of connections is used at the moment. */
export interface PoolUse {
  /** Connections that are open. */
  readonly open: number;
  /** Those of them that nobody uses. */
  readonly idle: number;
  /** Callers that wait for one. */
  readonly waiting: number;
  /** Connections at most. */
  readonly max: number;
}

/** Adds the use of the database's pool, read when somebody scrapes. */
export function addPoolMetrics(registry: Registry, readUse: () => PoolUse): void {
  const registers = [registry];
  new Gauge({
    name: 'deckhand_database_pool_connections',
    help: 'Connections to PostgreSQL of this process that are open, busy or idle',
    labelNames: ['state'],
    registers,
    collect() {
      const { open, idle } = readUse();
      this.set({ state: 'busy' }, open - idle);
      this.set({ state: 'idle' }, idle);
    },
  });
  new Gauge({
    name: 'deckhand_database_pool_waiting',
    help: 'Callers of this process that wait for a connection to PostgreSQL',
    registers,
    collect() {
      this.set(readUse().waiting);
    },
  });
  new Gauge({
    name: 'deckhand_database_pool_max',
    help: 'Connections to PostgreSQL that this process may open',
    registers,
    collect() {
      this.set(readUse().max);
    },
  });
}

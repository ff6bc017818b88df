import { collectDefaultMetrics, Registry, Gauge } from 'prom-client';

/** Resolution of event loop delays, in ms: each measurement wakes the process. */
const EVENT_LOOP_PRECISION_MS = 20;

/** Creates a registry with metrics of the process: CPU, memory, event loop delays, garbage collection. */
export function createProcessRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
  return registry;
}

/** The current use of a connection pool. */
export interface PoolUse {
  /** Number of open connections. */
  readonly open: number;
  /** Number of open connections that are not in use. */
  readonly idle: number;
  /** Number of callers that wait for a connection. */
  readonly waiting: number;
  /** Maximum number of connections. */
  readonly max: number;
}

/** Adds metrics of the database's connection pool, which are read at each scrape. */
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

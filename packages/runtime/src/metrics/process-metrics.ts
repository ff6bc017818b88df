import { collectDefaultMetrics, Registry } from 'prom-client';

/** How finely delays of the event loop are told apart, in ms: each look costs a wake-up of the process. */
const EVENT_LOOP_PRECISION_MS = 20;

/** A registry with what is worth knowing of any process: CPU, memory, delays of the event loop, garbage collection. */
export function createProcessRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
  return registry;
}

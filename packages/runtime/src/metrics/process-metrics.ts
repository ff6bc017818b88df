import { collectDefaultMetrics, Registry } from 'prom-client';

/** Resolution of event loop delays, in ms: each measurement wakes the process. */
const EVENT_LOOP_PRECISION_MS = 20;

/** Creates a registry with metrics of the process: CPU, memory, event loop delays, garbage collection. */
export function createProcessRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
  return registry;
}

import { Gauge, type Registry } from 'prom-client';

/** Adds how much of a worker is in use, read when somebody scrapes. */
export function addLoadMetrics(registry: Registry, load: { activeRuns: () => number; concurrency: number }): void {
  const registers = [registry];
  new Gauge({
    name: 'deckhand_worker_active_runs',
    help: 'Runs that this worker claims or holds',
    registers,
    collect() {
      this.set(load.activeRuns());
    },
  });
  new Gauge({ name: 'deckhand_worker_concurrency', help: 'Runs that this worker may hold', registers }).set(
    load.concurrency,
  );
}

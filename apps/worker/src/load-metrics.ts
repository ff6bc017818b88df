import { Counter, Gauge, type Registry } from 'prom-client';

/** What the metrics are read from when somebody scrapes. */
interface WorkerLoad {
  readonly activeRuns: () => number;
  readonly concurrency: number;
  /** How long the event loop was blocked in all, in seconds. */
  readonly blockedSeconds: () => number;
}

/** Adds how much of a worker is in use, and for how long it could do nothing. */
export function addLoadMetrics(registry: Registry, load: WorkerLoad): void {
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
  new Counter({
    name: 'deckhand_worker_blocked_seconds_total',
    help: 'Time in which the event loop did not answer, counted where that lasted for more than a second',
    registers,
    collect() {
      this.reset();
      this.inc(load.blockedSeconds());
    },
  });
}

import { Counter, Gauge, type Registry } from 'prom-client';

/** Values that are read at each scrape. */
interface WorkerLoad {
  readonly activeRuns: () => number;
  readonly concurrency: number;
  /** Whether the worker leaves jobs to others. */
  readonly isStandby: () => boolean;
  /** Total time in which the event loop was blocked, in seconds. */
  readonly blockedSeconds: () => number;
}

/** Adds the metrics of a worker's load: active runs, concurrency, standby and blocked time. */
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
  new Gauge({
    name: 'deckhand_worker_standby',
    help: '1 while this worker leaves jobs to others that have room, else 0',
    registers,
    collect() {
      this.set(load.isStandby() ? 1 : 0);
    },
  });
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

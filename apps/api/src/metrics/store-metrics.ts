import { countHeldBack, countUnfinished, type Database, readOldestWaitingSeconds } from '@deckhand/db';
import type { FleetView, QueueProducer } from '@deckhand/queue';
import { Gauge, type Registry } from 'prom-client';
import { setTimeout as sleep } from 'node:timers/promises';

/** Minimum interval between two reads of the stores, in ms, however often metrics are scraped. */
const MAX_AGE_MS = 1_000;
/** For counts of unfinished runs, whose cost grows with their number. */
const COUNT_MAX_AGE_MS = 10_000;
/** How long a scrape waits for the stores, in ms. Values that are not there by then are omitted. */
const TIMEOUT_MS = 2_000;

/**
 * Adds metrics of the whole instance, read from the stores. Every replica of the API reports the same values, so take
 * the maximum over them, never the sum. Metrics of an unavailable store have no value.
 */
export function addStoreMetrics(
  registry: Registry,
  { db, queue, fleet }: { db: Database; queue: QueueProducer; fleet: FleetView },
): void {
  const registers = [registry];
  const times = { maxAgeMs: MAX_AGE_MS, timeoutMs: TIMEOUT_MS };
  const readJobs = cacheFor(() => queue.counts(), times);
  const readOldest = cacheFor(() => readOldestWaitingSeconds(db), times);
  const readHeldBack = cacheFor(() => countHeldBack(db), { ...times, maxAgeMs: COUNT_MAX_AGE_MS });
  const readUnfinished = cacheFor(() => countUnfinished(db), { ...times, maxAgeMs: COUNT_MAX_AGE_MS });

  new Gauge({
    name: 'deckhand_queue_jobs',
    help: 'Jobs in the queue: waiting for a worker, taken by one, or set for later',
    labelNames: ['state'],
    registers,
    async collect() {
      const jobs = await readJobs();
      this.reset();
      if (jobs === undefined) return;
      this.set({ state: 'waiting' }, jobs.waiting);
      this.set({ state: 'active' }, jobs.active);
      this.set({ state: 'delayed' }, jobs.delayed);
    },
  });
  new Gauge({
    name: 'deckhand_queue_oldest_wait_seconds',
    help: 'For how long the run that was dispatched first has waited for a worker',
    registers,
    async collect() {
      const seconds = await readOldest();
      this.remove();
      if (seconds !== undefined) this.set(seconds);
    },
  });
  new Gauge({
    name: 'deckhand_runs',
    help: 'Runs that are not finished, by status',
    labelNames: ['status'],
    registers,
    async collect() {
      const runs = await readUnfinished();
      this.reset();
      for (const [status, count] of Object.entries(runs ?? {})) this.set({ status }, count);
    },
  });
  new Gauge({
    name: 'deckhand_runs_held_back',
    help: 'Runs that wait for others to end, because a workspace or workflow has as many at once as it may',
    registers,
    async collect() {
      const runs = await readHeldBack();
      this.remove();
      if (runs !== undefined) this.set(runs);
    },
  });
  new Gauge({
    name: 'deckhand_workers',
    help: 'Workers whose heartbeat is in time (live), and those of them that take jobs (consuming)',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, workers] of Object.entries(fleet.counts())) this.set({ state }, workers);
    },
  });
}

/**
 * Caches an expensive read for `maxAgeMs`, and waits for it no longer than `timeoutMs`.
 * @returns a function that resolves with the value, or with undefined if the read failed or took too long.
 */
function cacheFor<T>(
  read: () => Promise<T>,
  { maxAgeMs, timeoutMs }: { maxAgeMs: number; timeoutMs: number },
): () => Promise<T | undefined> {
  let last: Promise<T | undefined> | undefined;
  let readAt = 0;
  return () => {
    if (last === undefined || performance.now() - readAt >= maxAgeMs) {
      readAt = performance.now();
      last = Promise.race([read().catch(() => undefined), sleep(timeoutMs, undefined, { ref: false })]);
    }
    return last;
  };
}

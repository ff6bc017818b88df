import { type Database, readPoolUse } from '@deckhand/db';
import type { FleetView, QueueProducer } from '@deckhand/queue';
import { addPoolMetrics, createRunCounters, type RunCounters } from '@deckhand/runtime';
import type { RequestHandler } from 'express';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { RunFollower } from '../runs/follow-runs.ts';
import type { RunReads } from '../runs/run-reads.ts';
import type { WriteBreaker } from '../runs/write-breaker.ts';
import { createRequestMetrics } from '../http/observe-requests.ts';
import { addStoreMetrics } from './store-metrics.ts';

/** Metrics of the gateway. Labels are routes, statuses and the like, never data of workspaces. */
export interface ApiMetrics {
  readonly registry: Registry;
  readonly runs: RunCounters;
  /** Middleware that must come before everything that is measured. */
  readonly requests: RequestHandler;
}

/** Adds the gateway's metrics to a registry. */
export function createApiMetrics(
  registry: Registry,
  parts: {
    db: Database;
    queue: QueueProducer;
    fleet: FleetView;
    breaker: WriteBreaker;
    follower: RunFollower;
    runReads: RunReads;
  },
): ApiMetrics {
  addStoreMetrics(registry, parts);
  addPoolMetrics(registry, () => readPoolUse(parts.db));
  new Gauge({
    name: 'deckhand_write_circuit_open',
    help: '1 while new runs are refused because the stores take no writes, else 0',
    registers: [registry],
    collect() {
      this.set(parts.breaker.isOpen() ? 1 : 0);
    },
  });
  new Gauge({
    name: 'deckhand_waiters',
    help: 'Requests that wait for a run: webhooks on completion, wait=, event streams',
    registers: [registry],
    collect() {
      this.set(parts.follower.size());
    },
  });
  new Counter({
    name: 'deckhand_run_reads_total',
    help: 'Lists, searches, pages of exports and statistics of runs, by the database that they were read from',
    labelNames: ['database'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [database, reads] of Object.entries(parts.runReads.counts())) this.inc({ database }, reads);
    },
  });
  new Gauge({
    name: 'deckhand_replica_lag_seconds',
    help: 'How old the data of the read replica may be; 0 without a replica, no value while that is unknown',
    registers: [registry],
    collect() {
      const lagMs = parts.runReads.lagMs();
      this.remove();
      if (lagMs !== undefined) this.set(lagMs / 1_000);
    },
  });
  return { registry, runs: createRunCounters(registry), requests: createRequestMetrics(registry) };
}

import type { FinishedStatus } from '@deckhand/contracts';
import type { Checkpoint, CheckpointVerdict, ClaimedExecution } from '@deckhand/db';
import type { NodeRecord, NodeType } from '@deckhand/engine';
import { createRunCounters, type RunCounters } from '@deckhand/runtime';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { createModelMetrics, type ModelMetrics } from './model-metrics.ts';

const VERDICTS: readonly CheckpointVerdict[] = ['written', 'paused', 'answered', 'fenced'];

/** Upper bounds of durations, in seconds. */
const WAIT_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 15, 60, 300];
const RUN_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800, 7_200, 86_400];
const NODE_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10, 30, 120];
const WRITE_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const BATCH_RUNS = [1, 2, 5, 10, 20, 50, 100, 200];

/** The counters and timers of a worker. Labels are node types, statuses and the like, never names of workspaces. */
export interface WorkerMetrics {
  readonly runs: RunCounters;
  readonly models: ModelMetrics;
  /** Notes a claim. @returns a function that notes the end of the run, to be called when it is on disk. */
  claimed(run: Pick<ClaimedExecution, 'waitedSeconds' | 'startedSecondsAgo'>): (status: FinishedStatus) => void;
  /** Notes a record of a node; only records of finished nodes count. */
  recorded(record: NodeRecord, type: NodeType | undefined): void;
  /** Times a write of checkpoints, and counts its verdicts. */
  timeCheckpoints(
    checkpoints: readonly Checkpoint[],
    write: () => Promise<CheckpointVerdict[]>,
  ): Promise<CheckpointVerdict[]>;
  checkpointRetried(): void;
}

/** Adds a worker's metrics to a registry. Series whose labels are known beforehand begin at 0. */
export function createWorkerMetrics(registry: Registry): WorkerMetrics {
  const registers = [registry];
  const waited = new Histogram({
    name: 'deckhand_run_wait_seconds',
    help: 'From the dispatch of a run until a worker takes it',
    buckets: WAIT_SECONDS,
    registers,
  });
  const runSeconds = new Histogram({
    name: 'deckhand_run_duration_seconds',
    help: 'From when a worker first took a run to its end, waits for people and times included',
    labelNames: ['status'],
    buckets: RUN_SECONDS,
    registers,
  });
  const nodeRuns = new Counter({
    name: 'deckhand_node_runs_total',
    help: 'Nodes that came to an end, by type and how',
    labelNames: ['type', 'status'],
    registers,
  });
  const nodeRetries = new Counter({
    name: 'deckhand_node_retries_total',
    help: 'Attempts of nodes after their first',
    labelNames: ['type'],
    registers,
  });
  const nodeSeconds = new Histogram({
    name: 'deckhand_node_duration_seconds',
    help: 'From the start of a node to its end, retries included; nodes without effects only where it took a millisecond',
    labelNames: ['type'],
    buckets: NODE_SECONDS,
    registers,
  });
  const batchRuns = new Histogram({
    name: 'deckhand_checkpoint_batch_runs',
    help: 'Runs whose checkpoints were written by one statement',
    buckets: BATCH_RUNS,
    registers,
  });
  const writeSeconds = new Histogram({
    name: 'deckhand_checkpoint_duration_seconds',
    help: 'How long a statement that writes checkpoints took',
    buckets: WRITE_SECONDS,
    registers,
  });
  const verdicts = new Counter({
    name: 'deckhand_checkpoints_total',
    help: 'Checkpoints of runs by what became of them; fenced: the run was stopped or taken over, nothing was written',
    labelNames: ['verdict'],
    registers,
  });
  const retries = new Counter({
    name: 'deckhand_checkpoint_retries_total',
    help: 'Writes of checkpoints that failed because a store was away, and were tried again',
    registers,
  });
  for (const verdict of VERDICTS) verdicts.inc({ verdict }, 0);
  const runs = createRunCounters(registry);
  const models = createModelMetrics(registry);

  return {
    runs,
    models,
    claimed({ waitedSeconds, startedSecondsAgo }) {
      waited.observe(Math.max(0, waitedSeconds));
      const claimedAt = performance.now();
      return (status) => {
        runs.finished(status);
        runSeconds.observe({ status }, startedSecondsAgo + secondsSince(claimedAt));
      };
    },
    recorded({ status, startedAt, finishedAt, attempts }, type) {
      if (!type || status === 'running' || status === 'waiting' || status === 'pending') return;
      nodeRuns.inc({ type: type.type, status });
      if (attempts > 1) nodeRetries.inc({ type: type.type }, attempts - 1);
      if (startedAt === null || finishedAt === null) return;
      const ms = finishedAt - startedAt;
      // Most pure nodes take less than the clock's resolution, and there are many of them.
      if (type.hasEffects || ms > 0) nodeSeconds.observe({ type: type.type }, ms / 1_000);
    },
    async timeCheckpoints(checkpoints, write) {
      batchRuns.observe(checkpoints.length);
      const startedAt = performance.now();
      try {
        const results = await write();
        for (const verdict of results) verdicts.inc({ verdict });
        return results;
      } finally {
        writeSeconds.observe(secondsSince(startedAt));
      }
    },
    checkpointRetried: () => retries.inc(),
  };
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1_000;
}

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

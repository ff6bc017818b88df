import { BULK_ACTIONS } from '@deckhand/contracts';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type TaskObserver, TaskTimeLimitError } from '../run-periodically.ts';

/** Why maintenance dispatched, ended, pruned or deleted a run. */
export type MaintenanceAction =
  | 'dead_worker'
  | 'lost_too_often'
  | 'lost_job'
  | 'unknown_to_worker'
  | 'child_end'
  | 'wake'
  | 'time_out'
  | 'orphan'
  | 'held_back'
  | 'pruned_data'
  | 'pruned_run'
  | 'deleted_run';

const ACTIONS: readonly MaintenanceAction[] = [
  'dead_worker',
  'lost_too_often',
  'lost_job',
  'unknown_to_worker',
  'child_end',
  'wake',
  'time_out',
  'orphan',
  'held_back',
  'pruned_data',
  'pruned_run',
  'deleted_run',
];

/**
 * Actions that save a run which its worker or its job lost, or which nobody told of the end of its child. Without a
 * process that died or a store that was away, there are none.
 */
const RECOVERIES: ReadonlySet<MaintenanceAction> = new Set([
  'dead_worker',
  'lost_job',
  'unknown_to_worker',
  'child_end',
]);

/** How a run of a bulk action was settled. */
const BULK_RUN_OUTCOMES = ['done', 'failed', 'skipped'] as const;
type BulkRunOutcome = (typeof BULK_RUN_OUTCOMES)[number];

/** Upper bounds of durations, in seconds. */
const PASS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 20];
const LATE_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300, 3_600];

/** The counters and timers of maintenance. */
export interface MaintenanceMetrics extends TaskObserver {
  /** Creates the series of a task, with the value 0. */
  begin(task: string): void;
  /** Counts runs that maintenance dispatched, ended, pruned or deleted. */
  acted(action: MaintenanceAction, runs: number): void;
  /** Counts a row that a task skipped because it failed at it. */
  badRow(task: string): void;
  /** Notes how many finished runs are not in the search index yet, up to 100,000. */
  searchBacklog(runs: number): void;
  /** Notes for how long, in seconds, the oldest expired run or its data should have been deleted; 0 without any. */
  retentionBacklog(kind: 'data' | 'run', seconds: number): void;
  /** Counts the runs of a batch of a bulk action. */
  bulkActed(action: (typeof BULK_ACTIONS)[number], runs: Readonly<Record<BulkRunOutcome, number>>): void;
  /** Notes how long after its time the run of a schedule was started. */
  scheduleFired(lateSeconds: number): void;
}

/** Adds the metrics of maintenance to a registry. Series whose labels are known beforehand begin at 0. */
export function createMaintenanceMetrics(
  registry: Registry,
  state: { readonly isLeaseHeld: () => boolean; readonly clockOffsetMs: () => number },
): MaintenanceMetrics {
  const registers = [registry];
  const passSeconds = new Histogram({
    name: 'deckhand_maintenance_task_seconds',
    help: 'How long a pass of a maintenance task took; most tasks run only on the holder of the lease',
    labelNames: ['task'],
    buckets: PASS_SECONDS,
    registers,
  });
  const failures = new Counter({
    name: 'deckhand_maintenance_failures_total',
    help: 'Passes of maintenance tasks that failed (error), or were cut off because they took too long (time_limit)',
    labelNames: ['task', 'reason'],
    registers,
  });
  const badRows = new Counter({
    name: 'deckhand_maintenance_bad_rows_total',
    help: 'Rows at which a maintenance task failed and which it skipped for some minutes',
    labelNames: ['task'],
    registers,
  });
  const actions = new Counter({
    name: 'deckhand_maintenance_runs_total',
    help: 'Runs that were dispatched again or ended without their worker, runs that retention took something of, and runs of deleted workspaces',
    labelNames: ['action'],
    registers,
  });
  const recovered = new Counter({
    name: 'deckhand_recovered_runs_total',
    help: 'Runs that recovery had to save; 0 while no process dies and no store is away',
    labelNames: ['cause'],
    registers,
  });
  const lateSeconds = new Histogram({
    name: 'deckhand_schedule_late_seconds',
    help: 'How long after its time the run of a schedule was started; only the holder of the maintenance lease starts them',
    buckets: LATE_SECONDS,
    registers,
  });
  const searchBacklog = new Gauge({
    name: 'deckhand_search_backlog_runs',
    help: 'Finished runs that are not in the search index yet, up to 100,000; on the holder of the maintenance lease',
    registers,
  });
  const bulkRuns = new Counter({
    name: 'deckhand_bulk_action_runs_total',
    help: 'Runs that bulk actions settled: done, failed, or skipped because they had ended or were gone',
    labelNames: ['action', 'outcome'],
    registers,
  });
  const retentionBacklog = new Gauge({
    name: 'deckhand_retention_overdue_seconds',
    help: 'For how long the oldest expired run, or its data, should have been deleted; on the holder of the maintenance lease',
    labelNames: ['kind'],
    registers,
  });
  new Gauge({
    name: 'deckhand_maintenance_lease_held',
    help: '1 while this worker holds the maintenance lease',
    registers,
    collect() {
      this.set(state.isLeaseHeld() ? 1 : 0);
    },
  });
  new Gauge({
    name: 'deckhand_clock_offset_seconds',
    help: "How far this process's clock is ahead of the database's; negative when it is behind",
    registers,
    collect() {
      this.set(state.clockOffsetMs() / 1_000);
    },
  });
  for (const action of ACTIONS) actions.inc({ action }, 0);
  for (const cause of RECOVERIES) recovered.inc({ cause }, 0);
  for (const action of BULK_ACTIONS) {
    for (const outcome of BULK_RUN_OUTCOMES) bulkRuns.inc({ action, outcome }, 0);
  }
  for (const kind of ['data', 'run']) retentionBacklog.set({ kind }, 0);
  return {
    begin(task) {
      for (const reason of ['error', 'time_limit']) failures.inc({ task, reason }, 0);
      badRows.inc({ task }, 0);
    },
    passed: (task, seconds) => passSeconds.observe({ task }, seconds),
    failed: (task, error) =>
      failures.inc({ task, reason: error instanceof TaskTimeLimitError ? 'time_limit' : 'error' }),
    acted(action, count) {
      actions.inc({ action }, count);
      if (RECOVERIES.has(action)) recovered.inc({ cause: action }, count);
    },
    badRow: (task) => badRows.inc({ task }),
    searchBacklog: (runs) => searchBacklog.set(runs),
    retentionBacklog: (kind, seconds) => retentionBacklog.set({ kind }, seconds),
    bulkActed(action, counts) {
      for (const outcome of BULK_RUN_OUTCOMES) bulkRuns.inc({ action, outcome }, counts[outcome]);
    },
    scheduleFired: (late) => lateSeconds.observe(late),
  };
}

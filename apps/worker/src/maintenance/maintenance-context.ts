import { type Database, isStoreUnavailable, isTooSlow } from '@deckhand/db';
import type { InputChecker } from '@deckhand/nodes';
import type { QueueProducer, Redis } from '@deckhand/queue';
import type { Logger, RunCounters } from '@deckhand/runtime';
import type { PeriodicTask } from '../run-periodically.ts';
import { createBadRows } from './bad-rows.ts';
import { createBatchSize } from './batch-size.ts';
import type { MaintenanceMetrics } from './maintenance-metrics.ts';
import { processRows, type RowWork } from './process-rows.ts';
import { createTimeBudget } from './time-budget.ts';

/** What maintenance tasks need. */
export interface MaintenanceContext {
  readonly db: Database;
  readonly redis: Redis;
  readonly queue: QueueProducer;
  /** Checks the inputs of runs that maintenance starts. */
  readonly checkInput: InputChecker;
  readonly logger: Logger;
  readonly metrics: MaintenanceMetrics;
  readonly runs: RunCounters;
  readonly unclaimedAfterMs?: number | undefined;
}

/**
 * Time limit of a pass, in ms: long enough for a busy database, short enough that a store that never responds costs
 * little.
 */
export const TASK_TIME_LIMIT_MS = 20_000;

/** A task that processes rows. */
export interface RowTask<Row, Result> {
  readonly name: string;
  readonly intervalMs: number;
  readonly work: RowWork<Row, Result>;
  /** The longest time of a pass, in ms, while a backlog remains; the budget of `work` by default. */
  readonly maxBudgetMs?: number;
  /** Returns whether nothing else needs the time: a pass may then take the longest. */
  readonly isIdle?: () => boolean;
}

/** Creates a task that processes rows. A bad row, or a slow one, is skipped and does not stop the others. */
export function createRowTask<Row, Result>(
  { name, intervalMs, work, maxBudgetMs = work.budgetMs, isIdle = () => false }: RowTask<Row, Result>,
  { logger, metrics }: Pick<MaintenanceContext, 'logger' | 'metrics'>,
): PeriodicTask {
  const badRows = createBadRows({ task: name, logger, onAdded: () => metrics.badRow(name) });
  const slow = { isTooSlow, batchSize: createBatchSize() };
  const budget = createTimeBudget({ minMs: work.budgetMs, maxMs: maxBudgetMs, isIdle });
  return {
    name,
    intervalMs,
    timeLimitMs: TASK_TIME_LIMIT_MS,
    async run(signal) {
      const context = { badRows, signal, isUnavailable: isStoreUnavailable, slow };
      budget.passed(await processRows({ ...work, budgetMs: budget.ms() }, context));
    },
  };
}

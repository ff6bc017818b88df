import {
  type ExpiredRun,
  type ExpiredRuns,
  findExpiredRuns,
  isStoreUnavailable,
  partitionSpanDays,
  pruneData,
  pruneRuns,
  readInstanceSettings,
  type RowPage,
} from '@deckhand/db';
import type { PeriodicTask } from '../run-periodically.ts';
import { createBadRows } from './bad-rows.ts';
import { type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.ts';
import { processRows } from './process-rows.ts';
import { createTimeBudget } from './time-budget.ts';

const NAME = 'retention';
/** Maximum number of runs, and of their bytes, per statement: low, so that no statement holds its locks for long. */
const BATCH = 200;
const MAX_BATCH_BYTES = 64 * 1_048_576;
/** Time budget of a pass for data, and for runs, in ms, without and with a backlog. */
const BUDGET_MS = 200;
const MAX_BUDGET_MS = 450;
/** Statements at once while this worker has no runs. */
const IDLE_CONCURRENCY = 2;

const PRUNE = {
  data: { prune: pruneData, action: 'pruned_data' },
  run: { prune: pruneRuns, action: 'pruned_run' },
} as const;

/**
 * Creates the task that prunes the data of runs, and later whole runs, after the retention times of the instance. Data
 * is always pruned first, even if only runs have a retention time: so one place corrects the stored bytes of workspaces
 * and deletes large outputs.
 *
 * Whole runs are dropped with their partition where possible (`drop-partitions.ts`): an expired run waits for the last
 * one of its partition. It is pruned alone if the partition cannot be dropped by then, for example because of an
 * unfinished run. Where partitions are archived, runs are pruned with their partition only, or they would be missing in
 * the archive.
 * @param options.isIdle returns whether this worker, which takes jobs before all others, has no runs.
 */
export function createRetention(
  { db, logger, metrics }: Pick<MaintenanceContext, 'db' | 'logger' | 'metrics'>,
  { archives, isIdle }: { readonly archives: boolean; readonly isIdle: () => boolean },
): PeriodicTask {
  const badRows = createBadRows({ task: NAME, logger, onAdded: () => metrics.badRow(NAME) });
  const limits = { minMs: BUDGET_MS, maxMs: MAX_BUDGET_MS, isIdle };
  const budgets = { data: createTimeBudget(limits), run: createTimeBudget(limits) };

  async function find(expired: ExpiredRuns, page: RowPage): Promise<ExpiredRun[]> {
    const runs = await findExpiredRuns(db, { ...page, ...expired });
    metrics.retentionBacklog(expired.kind, runs[0]?.overdueSeconds ?? 0);
    return runs;
  }

  async function prune(expired: ExpiredRuns, signal: AbortSignal): Promise<void> {
    const { kind } = expired;
    const { prune: pruneRows, action } = PRUNE[kind];
    const hasLeftRuns = await processRows(
      {
        find: (page) => find(expired, page),
        idOf: ({ id }) => id,
        bytesOf: ({ bytes }) => bytes,
        async act(runs) {
          return [
            await pruneRows(
              db,
              runs.map(({ id }) => id),
            ),
          ];
        },
        onDone(counts) {
          for (const count of counts) metrics.acted(action, count);
          logger.info({ kind, runs: counts.reduce((sum, count) => sum + count, 0) }, 'deleted expired runs');
          return Promise.resolve();
        },
        maxRows: BATCH,
        maxBytes: MAX_BATCH_BYTES,
        concurrency: () => (isIdle() ? IDLE_CONCURRENCY : 1),
        budgetMs: budgets[kind].ms(),
      },
      { badRows, signal, isUnavailable: isStoreUnavailable },
    );
    budgets[kind].passed(hasLeftRuns);
  }

  return {
    name: NAME,
    intervalMs: 1_000,
    timeLimitMs: TASK_TIME_LIMIT_MS,
    async run(signal) {
      const { dataRetentionDays, runRetentionDays } = await readInstanceSettings(db);
      if (runRetentionDays === null) {
        if (dataRetentionDays !== null) await prune({ kind: 'data', days: dataRetentionDays, graceDays: 0 }, signal);
        return;
      }
      // A partition begins up to a day after the run before it.
      const graceDays = partitionSpanDays(runRetentionDays) + 1;
      if (archives) {
        const hasOwnTime = dataRetentionDays !== null && dataRetentionDays < runRetentionDays;
        if (hasOwnTime) await prune({ kind: 'data', days: dataRetentionDays, graceDays: 0 }, signal);
        // Only measured.
        await find({ kind: hasOwnTime ? 'run' : 'data', days: runRetentionDays, graceDays }, { limit: 1, except: [] });
        return;
      }
      const dataDays = dataRetentionDays ?? runRetentionDays;
      await prune({ kind: 'data', days: dataDays, graceDays: dataDays < runRetentionDays ? 0 : graceDays }, signal);
      await prune({ kind: 'run', days: runRetentionDays, graceDays }, signal);
    },
  };
}

import { findExpiredRuns, pruneData, pruneRuns, readInstanceSettings, isStoreUnavailable } from '@deckhand/db';
import type { RetentionKind } from '@deckhand/db';
import type { PeriodicTask } from '../run-periodically.js';
import { createBadRows } from './bad-rows.js';
import { type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.js';
import { processRows } from './process-rows.js';

const NAME = 'retention';
/** Runs of one statement at most, and the bytes that it deletes at most: few, so that none holds its locks for long. */
const BATCH = 200;
const MAX_BATCH_BYTES = 64 * 1_048_576;
/** How long a pass goes on with either, in ms: a backlog takes many. */
const BUDGET_MS = 200;

const PRUNE = {
  data: { prune: pruneData, action: 'pruned_data' },
  run: { prune: pruneRuns, action: 'pruned_run' },
} as const;

/**
 * Takes data, and later whole runs, that are older than the instance keeps them. A run loses its data first, also where
 * only runs have a time: so the workspaces' stored bytes are right, and large outputs go, in one place.
 */
export function createRetention({
  db,
  logger,
  metrics,
}: Pick<MaintenanceContext, 'db' | 'logger' | 'metrics'>): PeriodicTask {
  const badRows = createBadRows({ task: NAME, logger, onAdded: () => metrics.badRow(NAME) });

  async function prune(kind: RetentionKind, days: number, signal: AbortSignal): Promise<void> {
    const { prune: pruneRows, action } = PRUNE[kind];
    await processRows(
      {
        find: (page) => findExpiredRuns(db, { ...page, kind, days }),
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
          logger.info({ kind, runs: counts.reduce((sum, count) => sum + count, 0) }, 'retention took data or runs');
          return Promise.resolve();
        },
        maxRows: BATCH,
        maxBytes: MAX_BATCH_BYTES,
        budgetMs: BUDGET_MS,
      },
      { badRows, signal, isUnavailable: isStoreUnavailable },
    );
  }

  return {
    name: NAME,
    intervalMs: 1_000,
    timeLimitMs: TASK_TIME_LIMIT_MS,
    async run(signal) {
      const { dataRetentionDays, runRetentionDays } = await readInstanceSettings(db);
      const dataDays = dataRetentionDays ?? runRetentionDays;
      if (dataDays !== null) await prune('data', dataDays, signal);
      if (runRetentionDays !== null) await prune('run', runRetentionDays, signal);
    },
  };
}

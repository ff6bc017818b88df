import { countUnindexedRuns, findUnindexedRuns, indexExecutions } from '@deckhand/db';
import type { PeriodicTask } from '../run-periodically.ts';
import { createRowTask, type MaintenanceContext } from './maintenance-context.ts';

/** Maximum number of runs, and of their bytes, per statement. */
const BATCH = 250;
const MAX_BATCH_BYTES = 16 * 1_048_576;
/** Statements at once while this worker has no runs. The trigrams of a text take a core some 0.2 ms. */
const IDLE_CONCURRENCY = 2;
/**
 * Time budget of a pass, in ms, without and with a backlog. Under load runs wait for it; until then they are
 * searched without an index.
 */
const BUDGET_MS = 100;
const MAX_BUDGET_MS = 950;
/** How often the runs are searched from the beginning, in ms, for those that finished long after they were created. */
const RESTART_MS = 10_000;
/** The backlog is counted as often, up to this number. */
const MAX_COUNT = 100_000;

/**
 * Creates the task that adds finished runs to the search index.
 * @param isIdle returns whether this worker, which takes jobs before all others, has no runs.
 */
export function createIndexing(
  context: Pick<MaintenanceContext, 'db' | 'logger' | 'metrics'>,
  isIdle: () => boolean,
): PeriodicTask {
  const { db, metrics } = context;
  let after: string | undefined;
  let restartedAt = -Infinity;

  const task = createRowTask(
    {
      name: 'index_runs',
      intervalMs: 1_000,
      maxBudgetMs: MAX_BUDGET_MS,
      isIdle,
      work: {
        async find(page) {
          const runs = await findUnindexedRuns(db, { ...page, after });
          after = runs.at(-1)?.id ?? after;
          return runs;
        },
        idOf: ({ id }) => id,
        bytesOf: ({ bytes }) => bytes,
        async act(runs) {
          await indexExecutions(
            db,
            runs.map(({ id }) => id),
          );
          return [];
        },
        maxRows: BATCH,
        maxBytes: MAX_BATCH_BYTES,
        concurrency: () => (isIdle() ? IDLE_CONCURRENCY : 1),
        budgetMs: BUDGET_MS,
      },
    },
    context,
  );
  return {
    ...task,
    async run(signal) {
      if (performance.now() - restartedAt >= RESTART_MS) {
        restartedAt = performance.now();
        after = undefined;
        metrics.searchBacklog(await countUnindexedRuns(db, MAX_COUNT));
      }
      await task.run(signal);
    },
  };
}

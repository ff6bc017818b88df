import {
  createRunPartitions,
  foldStorageChanges,
  pruneAgentMemories,
  pruneDebounces,
  pruneIdempotencyKeys,
  pruneModelCalls,
  pruneModelMonths,
  pruneRequests,
  pruneRunDays,
  readInstanceSettings,
  refreshStatistics,
} from '@deckhand/db';
import type { FileStore, OutputStore } from '@deckhand/outputs';
import type { PeriodicTask } from '../run-periodically.ts';
import { type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.ts';

/** Maximum number of changes, or keys, per statement. */
const BATCH = 5_000;
/** Maximum number of objects deleted per pass, which is the limit of one request. */
const MAX_SWEPT = 1_000;
/** Maximum number of files whose content is deleted at once. */
const SWEPT_FILES = 100;
/** In ms. */
const FILE_SWEEP_INTERVAL_MS = 30_000;
/** In ms. Nobody waits until a key is deleted: it is invalid by its age. */
const PRUNE_INTERVAL_MS = 10_000;
/** In ms. Partitions are created days ahead; this is for a database that was not used for longer. */
const PARTITIONS_INTERVAL_MS = 60_000;

/** Creates the small tasks that keep PostgreSQL and the queue in order. No run waits for them. */
export function createBackgroundTasks({
  db,
  queue,
  logger,
}: Pick<MaintenanceContext, 'db' | 'queue' | 'logger'>): readonly PeriodicTask[] {
  return [
    {
      // Adds recorded changes of stored bytes to the totals of workspaces.
      ...task('count_storage'),
      async run(signal) {
        while (!signal.aborted && (await foldStorageChanges(db, BATCH)) === BATCH);
      },
    },
    {
      // Analyses tables which have grown much since the planner's last statistics.
      ...task('refresh_statistics'),
      async run() {
        await refreshStatistics(db);
      },
    },
    {
      // Without a partition for its day, no run could be accepted.
      ...task('create_partitions'),
      intervalMs: PARTITIONS_INTERVAL_MS,
      async run() {
        const { runRetentionDays } = await readInstanceSettings(db);
        const created = await createRunPartitions(db, runRetentionDays);
        if (created > 0) logger.info({ created }, 'created partitions of runs');
      },
    },
    {
      // Deletes idempotency keys, keys of debounced starts, calls of models, memories, and days of insights that
      // are no longer needed.
      ...task('prune_idempotency_keys'),
      intervalMs: PRUNE_INTERVAL_MS,
      async run(signal) {
        for (const prune of [
          pruneIdempotencyKeys,
          pruneRequests,
          pruneDebounces,
          pruneModelCalls,
          pruneModelMonths,
          pruneAgentMemories,
          pruneRunDays,
        ]) {
          while (!signal.aborted && (await prune(db, BATCH)) === BATCH);
        }
      },
    },
    // Deletes the queue's index of jobs by run when no job is left.
    { ...task('tidy_queue'), run: () => queue.tidy() },
  ];
}

/** Creates the task that deletes the large outputs of deleted runs from the object store. */
export function createOutputSweep(outputs: Pick<OutputStore, 'sweep'>): PeriodicTask {
  return {
    ...task('sweep_outputs'),
    async run() {
      await outputs.sweep(MAX_SWEPT);
    },
  };
}

/** Creates the task that deletes the content of files that no run names, and of those that were never finished. */
export function createFileSweep(files: Pick<FileStore, 'sweep'>): PeriodicTask {
  return {
    ...task('sweep_files'),
    intervalMs: FILE_SWEEP_INTERVAL_MS,
    async run(signal) {
      while (!signal.aborted && (await files.sweep(SWEPT_FILES)) === SWEPT_FILES);
    },
  };
}

function task(name: string): Omit<PeriodicTask, 'run'> {
  return { name, intervalMs: 1_000, timeLimitMs: TASK_TIME_LIMIT_MS };
}

import {
  deleteLeftoversOfRunPartition,
  detachExpiredRunPartition,
  DROP_LIMIT_MS,
  dropDetachedRunPartition,
  findDetachedRunPartitions,
  readInstanceSettings,
} from '@deckhand/db';
import type { Archive, FileStore, OutputStore } from '@deckhand/outputs';
import type { PeriodicTask } from '../run-periodically.ts';
import { archivePartition } from './archive-partition.ts';
import { type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.ts';

/** Maximum number of rows of each other table that one statement deletes. */
const BATCH = 500;
/** Time after which a pass begins no more statements, in ms. */
const BUDGET_MS = 400;
/** Time after which archiving continues in the next pass, in ms. */
const ARCHIVE_BUDGET_MS = 30_000;

/**
 * Creates the task that drops partitions whose runs all finished before the retention time. It detaches them, which
 * ends their runs, then copies them to the archive if there is one, deletes what other tables have of these runs, and
 * then drops them. After a crash, the next pass continues. It is a task of its own because an archive, or the sum of
 * the bytes of all runs before a drop, may take minutes.
 */
export function createPartitionDropping(
  { db, logger, metrics }: Pick<MaintenanceContext, 'db' | 'logger' | 'metrics'>,
  {
    outputs,
    files,
    archive,
  }: {
    readonly outputs: Pick<OutputStore, 'get'>;
    readonly files: Pick<FileStore, 'read'>;
    readonly archive?: Archive | undefined;
  },
): PeriodicTask {
  const archived = new Set<string>();

  /** @returns whether the partition may be dropped: it is archived, or there is no archive. */
  async function isArchived(partition: string, signal: AbortSignal): Promise<boolean> {
    if (!archive || archived.has(partition)) return true;
    const until = performance.now() + ARCHIVE_BUDGET_MS;
    const isOver = (): boolean => signal.aborted || performance.now() >= until;
    const isComplete = await archivePartition({ db, outputs, files, archive, logger }, partition, isOver);
    if (!isComplete) return false;
    archived.add(partition);
    logger.info({ partition }, 'archived a partition of expired runs');
    return true;
  }

  async function detach(): Promise<boolean> {
    const { runRetentionDays } = await readInstanceSettings(db);
    if (runRetentionDays === null) return false;
    const partition = await detachExpiredRunPartition(db, runRetentionDays);
    if (partition !== null) logger.info({ partition }, 'detached a partition of expired runs');
    return partition !== null;
  }

  return {
    name: 'drop_partitions',
    intervalMs: 1_000,
    timeLimitMs: DROP_LIMIT_MS + TASK_TIME_LIMIT_MS,
    async run(signal) {
      let until = performance.now() + BUDGET_MS;
      const isOver = (): boolean => signal.aborted || performance.now() >= until;
      // The next one is detached once the last one is dropped: if the archive fails, no further runs disappear.
      do {
        for (const partition of await findDetachedRunPartitions(db)) {
          if (!(await isArchived(partition, signal))) return;
          until = performance.now() + BUDGET_MS;
          while (await deleteLeftoversOfRunPartition(db, partition, BATCH)) if (isOver()) return;
          if (signal.aborted) return;
          const runs = await dropDetachedRunPartition(db, partition);
          metrics.acted('pruned_run', runs);
          logger.info({ partition, runs }, 'dropped a partition of expired runs');
        }
      } while (!isOver() && (await detach()));
    },
  };
}

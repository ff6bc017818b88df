import {
  type Database,
  foldStorageChanges,
  indexExecutions,
  pruneIdempotencyKeys,
  refreshStatistics,
} from '@deckhand/db';
import type { OutputStore } from '@deckhand/outputs';
import type { RunQueue } from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';
import type { WorkerMetrics } from '../metrics.js';
import { applyRetention } from './retention.js';

/** Changes of stored bytes folded by one statement at most. */
const FOLD_BATCH = 5_000;
/** Finished runs made searchable by one statement. */
const INDEX_BATCH = 250;
/** How long a turn goes on making runs searchable, in ms: under load they wait, and are searched without an index. */
const INDEX_BUDGET_MS = 100;
/** Idempotency keys deleted by one turn at most. */
const PRUNE_BATCH = 5_000;
/** Objects deleted by one turn at most, which is what one request may name. */
const SWEEP_BATCH = 1_000;

/** What housekeeping works with. */
export interface HousekeepingParts {
  readonly db: Database;
  readonly outputs: OutputStore;
  readonly queue: Pick<RunQueue, 'tidy'>;
  readonly logger: Logger;
  readonly metrics: Pick<WorkerMetrics, 'reconciled'>;
  /** False while another worker is the one to do it. */
  readonly holdLease: () => Promise<boolean>;
}

/**
 * One turn of what has to be done now and then and holds up no run: apart from the reconciler, so that a slow statement or an
 * object store that does not answer never keeps a lost run waiting. Two at once do no harm.
 */
export async function keepHouse({ db, outputs, queue, logger, metrics, holdLease }: HousekeepingParts): Promise<void> {
  if (!(await holdLease())) return;
  while ((await foldStorageChanges(db, FOLD_BATCH)) === FOLD_BATCH);
  await refreshStatistics(db);
  await indexFinished(db);
  await queue.tidy();
  await pruneIdempotencyKeys(db, PRUNE_BATCH);
  const pruned = await applyRetention(db);
  metrics.reconciled('pruned_data', pruned.data);
  metrics.reconciled('pruned_run', pruned.runs);
  if (pruned.data + pruned.runs > 0) logger.info(pruned, 'retention took data and runs');
  // Last, for it may be a store of its own that is away.
  await outputs.sweep(SWEEP_BATCH);
}

/** Makes finished runs searchable by index, for a bounded time. */
async function indexFinished(db: Database): Promise<void> {
  const end = performance.now() + INDEX_BUDGET_MS;
  while ((await indexExecutions(db, INDEX_BATCH)) === INDEX_BATCH && performance.now() < end);
}

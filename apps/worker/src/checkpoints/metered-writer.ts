import { writeCheckpoints } from '@deckhand/db';
import type { OutputStore } from '@deckhand/outputs';
import type { Logger } from '@deckhand/runtime';
import type { ClaimHealth } from '../claims/claim-health.ts';
import type { WorkerMetrics } from '../metrics.ts';
import type { WorkerStores } from '../stores.ts';
import { type CheckpointWriter, createCheckpointWriter } from './checkpoint-writer.ts';
import { offloadOutputs } from './large-outputs.ts';
import { isLogged } from './retry-while-unavailable.ts';

/** Maximum number of runs per checkpoint statement. */
const MAX_BATCH = 200;

/** A writer that counts. */
export interface MeteredWriter extends CheckpointWriter {
  /** Returns the number of checkpoints so far, including failed attempts: it grows while the worker works. */
  readonly written: () => number;
}

/** Creates the worker's writer of checkpoints. The claim health watches it, since first checkpoints claim runs. */
export function createMeteredWriter(
  { db, ended }: Pick<WorkerStores, 'db' | 'ended'>,
  parts: {
    readonly outputs: OutputStore;
    readonly metrics: WorkerMetrics;
    readonly health: ClaimHealth;
    readonly logger: Logger;
  },
): MeteredWriter {
  const { outputs, metrics, health, logger } = parts;
  let written = 0;
  const writer = createCheckpointWriter({
    write(checkpoints) {
      written += checkpoints.length;
      return metrics.timeCheckpoints(checkpoints, () => health.watchWrite(() => writeCheckpoints(db, checkpoints)));
    },
    prepare: (checkpoint) => offloadOutputs(outputs, checkpoint),
    ended,
    onRetry: (err, attempt, kind) => {
      metrics.checkpointRetried();
      if (isLogged(attempt)) logger.warn({ err, attempt, kind }, 'failed to write checkpoints, retrying');
    },
    concurrency: 2,
    maxSize: MAX_BATCH,
  });
  return { ...writer, written: () => written };
}

import {
  type Checkpoint,
  type CheckpointVerdict,
  classifyStoreError,
  type Database,
  type StoreErrorKind,
  writeCheckpoints,
} from '@deckhand/db';
import { createFlushGate, type Logger } from '@deckhand/runtime';
import { AsyncLocalStorage } from 'node:async_hooks';
import { RetriesEndedError, waitForRetry, isLogged } from './retry-while-unavailable.ts';
import type { OutputStore } from '@deckhand/outputs';
import type { ClaimHealth } from '../consume/worker-health.ts';
import type { WorkerMetrics } from '../metrics.ts';
import type { WorkerStores } from '../stores.ts';
import { offloadOutputs } from './large-outputs.ts';
import { nameFilesOf } from './named-files.ts';

/** A run with something to write. The writer takes its checkpoint when it begins to write it. */
export interface CheckpointSource {
  /** Returns everything since the last checkpoint; undefined when there is nothing. */
  takeCheckpoint(): Checkpoint | undefined;
  /** Called when the database has written or refused the checkpoint. */
  settled(verdict: CheckpointVerdict): void;
  /**
   * Called when the checkpoint can never be written because of its values (CheckpointRefusedError), or when the worker
   * ends before it was written (RetriesEndedError).
   */
  failed(error: CheckpointRefusedError | RetriesEndedError): void;
}

/** A store refuses the values of a checkpoint; retrying would not help. `cause` is the error of the store. */
export class CheckpointRefusedError extends Error {
  override readonly name = 'CheckpointRefusedError';
}

/** Writes the checkpoints of all runs of the process, many in one statement. */
export interface CheckpointWriter {
  /** Queues a run, unless it is queued already. Its checkpoint has everything up to the moment the write begins. */
  enqueue(source: CheckpointSource): void;
  /** Resolves when nothing is queued or being written. */
  idle(): Promise<void>;
}

/** What the writer needs. */
export interface CheckpointWriterOptions {
  readonly write: (checkpoints: readonly Checkpoint[]) => Promise<CheckpointVerdict[]>;
  /**
   * Offloads the large outputs of a checkpoint; returns undefined when it has none. A checkpoint with large outputs is
   * written alone, so that others do not wait for it.
   */
  readonly prepare: (checkpoint: Checkpoint) => Promise<Checkpoint> | undefined;
  /** Called after each failed attempt that will be retried. */
  readonly onRetry: (error: unknown, attempt: number, kind: StoreErrorKind) => void;
  /** Aborted when the worker ends. Recovery takes care of runs whose checkpoints are not written by then. */
  readonly ended: AbortSignal;
  /** Maximum number of writes in progress. A second one begins only if one takes long, or many checkpoints wait. */
  readonly concurrency: number;
  /** Maximum number of runs per write. */
  readonly maxSize: number;
}

/** The checkpoint of a run that is being written. */
interface Entry {
  readonly source: CheckpointSource;
  readonly checkpoint: Checkpoint;
}

/** Failed attempts after which a batch is split: it may be too large or too slow for the database as a whole. */
const ATTEMPTS_BEFORE_SPLIT = 3;

/**
 * Creates the writer. It retries a write while the stores are unavailable, for as long as it takes. A retry is harmless
 * if the first attempt was written and only its response got lost: the database recognises it by epoch and checkpoint
 * number. A batch that the database refuses because of the values of a row is split until the run at fault is alone;
 * only that run fails.
 */
export function createCheckpointWriter(options: CheckpointWriterOptions): CheckpointWriter {
  const queued = new Set<CheckpointSource>();
  /** Runs whose checkpoint is being written. Their next one waits, so that the checkpoints of a run stay in order. */
  const busy = new Set<CheckpointSource>();
  const gate = createFlushGate({ concurrency: options.concurrency, onFree: schedule });
  /** Number of checkpoints that are being prepared. */
  let preparing = 0;
  let isScheduled = false;
  // Detached from the context of the run that happened to be queued first: a batch belongs to many runs.
  const beginBatch = AsyncLocalStorage.bind(writeNext);
  const idleWaiters: (() => void)[] = [];

  function schedule(): void {
    if (isScheduled || queued.size === 0 || !gate.isFree(queued.size >= options.maxSize)) return;
    isScheduled = true;
    setImmediate(beginBatch);
  }

  function writeNext(): void {
    isScheduled = false;
    const batch = takeBatch();
    if (batch.length === 0) {
      notifyIdle();
      return;
    }
    gate.begin();
    void writeBatch(batch, options).finally(() => {
      gate.end();
      release(batch);
    });
    schedule();
  }

  function release(batch: readonly Entry[]): void {
    for (const { source } of batch) busy.delete(source);
    schedule();
    notifyIdle();
  }

  function notifyIdle(): void {
    if (isIdle()) idleWaiters.splice(0).forEach((resolve) => resolve());
  }

  function isIdle(): boolean {
    return gate.inProgress === 0 && preparing === 0 && queued.size === 0;
  }

  function takeBatch(): Entry[] {
    const batch: Entry[] = [];
    for (const source of queued) {
      if (batch.length >= options.maxSize) break;
      if (busy.has(source)) continue;
      queued.delete(source);
      const checkpoint = source.takeCheckpoint();
      if (!checkpoint) continue;
      busy.add(source);
      if (prepare({ source, checkpoint })) continue;
      batch.push({ source, checkpoint });
    }
    return batch;
  }

  /** Begins to prepare and write a checkpoint by itself. @returns false if it needs no preparation. */
  function prepare(entry: Entry): boolean {
    const begun = options.prepare(entry.checkpoint);
    if (!begun) return false;
    preparing += 1;
    void writePrepared(entry, begun, options).finally(() => {
      preparing -= 1;
      release([entry]);
    });
    return true;
  }

  return {
    enqueue(source) {
      queued.add(source);
      schedule();
    },
    idle() {
      if (isIdle()) return Promise.resolve();
      return new Promise((resolve) => idleWaiters.push(resolve));
    },
  };
}

/** Writes a checkpoint that is being prepared, and prepares it again if that fails. */
async function writePrepared(
  entry: Entry,
  begun: Promise<Checkpoint>,
  options: CheckpointWriterOptions,
): Promise<void> {
  let preparation: Promise<Checkpoint> | undefined = begun;
  for (let attempt = 1; ; attempt += 1) {
    let checkpoint: Checkpoint;
    try {
      checkpoint = (await preparation) ?? entry.checkpoint;
    } catch (error) {
      if (!(await waitOrFail([entry], error, attempt, options))) return;
      preparation = options.prepare(entry.checkpoint);
      continue;
    }
    return writeBatch([{ source: entry.source, checkpoint }], options);
  }
}

/** Writes checkpoints until each is written or refused, and reports that to their runs. */
async function writeBatch(batch: readonly Entry[], options: CheckpointWriterOptions): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    let verdicts: readonly CheckpointVerdict[];
    try {
      verdicts = await options.write(batch.map((entry) => entry.checkpoint));
    } catch (error) {
      const isAtFault = classifyStoreError(error) === 'row' || attempt > ATTEMPTS_BEFORE_SPLIT;
      if (batch.length > 1 && isAtFault) return splitBatch(batch, options);
      if (!(await waitOrFail(batch, error, attempt, options))) return;
      continue;
    }
    batch.forEach(({ source }, index) => source.settled(verdicts[index] ?? 'fenced'));
    return;
  }
}

/** Waits before the next attempt. @returns false when there is none: the sources have been notified. */
async function waitOrFail(
  batch: readonly Entry[],
  error: unknown,
  attempt: number,
  options: CheckpointWriterOptions,
): Promise<boolean> {
  const kind = classifyStoreError(error);
  if (kind === 'row') {
    const refused = new CheckpointRefusedError('a store refused values of the checkpoint', { cause: error });
    for (const { source } of batch) source.failed(refused);
    return false;
  }
  options.onRetry(error, attempt, kind);
  try {
    await waitForRetry(attempt, kind, { ended: options.ended, cause: error });
    return true;
  } catch (ended) {
    if (!(ended instanceof RetriesEndedError)) throw ended;
    for (const { source } of batch) source.failed(ended);
    return false;
  }
}

async function splitBatch(batch: readonly Entry[], options: CheckpointWriterOptions): Promise<void> {
  const middle = Math.ceil(batch.length / 2);
  await writeBatch(batch.slice(0, middle), options);
  await writeBatch(batch.slice(middle), options);
}

/**
 * Names the files of a checkpoint, and then offloads its large outputs: both at once could fail at once, and the second
 * failure would have nobody to handle it.
 * @returns undefined when it needs neither.
 */
export function prepareCheckpoint(
  db: Database,
  outputs: OutputStore,
  checkpoint: Checkpoint,
): Promise<Checkpoint> | undefined {
  const named = nameFilesOf(db, checkpoint);
  if (!named) return offloadOutputs(outputs, checkpoint);
  return named.then(() => offloadOutputs(outputs, checkpoint) ?? checkpoint);
}

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
    prepare: (checkpoint) => prepareCheckpoint(db, outputs, checkpoint),
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

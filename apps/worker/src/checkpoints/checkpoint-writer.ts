import { type Checkpoint, type CheckpointVerdict, classifyStoreError, type StoreErrorKind } from '@deckhand/db';
import { createFlushGate } from '@deckhand/runtime';
import { AsyncLocalStorage } from 'node:async_hooks';
import { RetriesEndedError, waitForRetry } from './retry-while-unavailable.js';

/** A run with something to write. The writer asks for its checkpoint only when it starts to write that run. */
export interface CheckpointSource {
  /** What was gathered since the last one; undefined when there is nothing. */
  takeCheckpoint(): Checkpoint | undefined;
  /** Told once the checkpoint is on disk, or refused. */
  settled(verdict: CheckpointVerdict): void;
  /**
   * Told when the checkpoint can never be written as it is (CheckpointRefusedError), or the worker ends
   * (RetriesEndedError).
   */
  failed(error: CheckpointRefusedError | RetriesEndedError): void;
}

/** A store can never take this checkpoint, for the values in it. The cause has why. */
export class CheckpointRefusedError extends Error {
  override readonly name = 'CheckpointRefusedError';
}

/** Writes the checkpoints of every run of the process, many in one statement. */
export interface CheckpointWriter {
  /**
   * Puts a run in line, once. Its checkpoint is taken when the write begins, so it carries all that came until then.
   */
  enqueue(source: CheckpointSource): void;
  /** Resolves when nothing is in line or under way. */
  idle(): Promise<void>;
}

/** What the writer stands on. */
export interface CheckpointWriterOptions {
  readonly write: (checkpoints: readonly Checkpoint[]) => Promise<CheckpointVerdict[]>;
  /**
   * Brings what a checkpoint is too large for to its own place first; undefined for one that holds nothing of the kind.
   * Such a checkpoint is written by itself, so that others do not wait for it.
   */
  readonly prepare: (checkpoint: Checkpoint) => Promise<Checkpoint> | undefined;
  /** Told of each failed attempt that is repeated. */
  readonly onRetry: (error: unknown, attempt: number, kind: StoreErrorKind) => void;
  /** Aborted when the worker ends: whatever is not written by then is left to recovery. */
  readonly ended: AbortSignal;
  /** Writes under way at once at most: more than one where one takes long, or many checkpoints wait. */
  readonly concurrency: number;
  /** Runs of one write at most. */
  readonly maxSize: number;
}

/**
 * Failed attempts after which a batch is split, as one that is too large or too slow for the database would fail every
 * time.
 */
const ATTEMPTS_BEFORE_SPLIT = 3;

/**
 * Creates the writer. A write is repeated while the stores are unavailable, for as long as it takes. One whose response
 * got lost may have landed: it is known by epoch and checkpoint, so that changes nothing. A batch that the database
 * refuses for the values of a row is split until the run at fault stands alone; only that one fails.
 */
export function createCheckpointWriter(options: CheckpointWriterOptions): CheckpointWriter {
  const line = new Set<CheckpointSource>();
  /** Runs whose checkpoint is under way: their next one waits, so that checkpoints of a run stay in order. */
  const busy = new Set<CheckpointSource>();
  const gate = createFlushGate({ concurrency: options.concurrency, onFree: schedule });
  /** Checkpoints that are being prepared. */
  let preparing = 0;
  let isScheduled = false;
  // Outside the context of the run that was enqueued first: a batch is of many runs.
  const beginBatch = AsyncLocalStorage.bind(writeNext);
  const idleWaiters: (() => void)[] = [];

  function schedule(): void {
    if (isScheduled || line.size === 0 || !gate.isFree(line.size >= options.maxSize)) return;
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
    void writeBatch(batch).finally(() => {
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
    return gate.inProgress === 0 && preparing === 0 && line.size === 0;
  }

  function takeBatch(): Entry[] {
    const batch: Entry[] = [];
    for (const source of line) {
      if (batch.length >= options.maxSize) break;
      if (busy.has(source)) continue;
      line.delete(source);
      const checkpoint = source.takeCheckpoint();
      if (!checkpoint) continue;
      busy.add(source);
      if (hasPreparation({ source, checkpoint })) continue;
      batch.push({ source, checkpoint });
    }
    return batch;
  }

  function hasPreparation(entry: Entry): boolean {
    const begun = options.prepare(entry.checkpoint);
    if (!begun) return false;
    preparing += 1;
    void writePrepared(entry, begun).finally(() => {
      preparing -= 1;
      release([entry]);
    });
    return true;
  }

  async function writePrepared(entry: Entry, begun: Promise<Checkpoint>): Promise<void> {
    let preparation: Promise<Checkpoint> | undefined = begun;
    for (let attempt = 1; ; attempt += 1) {
      let checkpoint: Checkpoint;
      try {
        checkpoint = (await preparation) ?? entry.checkpoint;
      } catch (error) {
        if (!(await mayRetry([entry], error, attempt))) return;
        preparation = options.prepare(entry.checkpoint);
        continue;
      }
      return writeBatch([{ source: entry.source, checkpoint }]);
    }
  }

  async function writeBatch(batch: readonly Entry[]): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      let verdicts: readonly CheckpointVerdict[];
      try {
        verdicts = await options.write(batch.map((entry) => entry.checkpoint));
      } catch (error) {
        const isAtFault = classifyStoreError(error) === 'row' || attempt > ATTEMPTS_BEFORE_SPLIT;
        if (batch.length > 1 && isAtFault) return splitBatch(batch);
        if (!(await mayRetry(batch, error, attempt))) return;
        continue;
      }
      batch.forEach(({ source }, index) => source.settled(verdicts[index] ?? 'fenced'));
      return;
    }
  }

  /** Waits before the next attempt. @returns false when there is none: the sources were told why. */
  async function mayRetry(batch: readonly Entry[], error: unknown, attempt: number): Promise<boolean> {
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

  async function splitBatch(batch: readonly Entry[]): Promise<void> {
    const middle = Math.ceil(batch.length / 2);
    await writeBatch(batch.slice(0, middle));
    await writeBatch(batch.slice(middle));
  }

  return {
    enqueue(source) {
      line.add(source);
      schedule();
    },
    idle() {
      if (isIdle()) return Promise.resolve();
      return new Promise((resolve) => idleWaiters.push(resolve));
    },
  };
}

interface Entry {
  readonly source: CheckpointSource;
  readonly checkpoint: Checkpoint;
}

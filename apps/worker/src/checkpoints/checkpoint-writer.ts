import type { Checkpoint, CheckpointVerdict } from '@deckhand/db';
import { createBatchTurns } from '@deckhand/runtime';

/** A run with something to write. The writer asks for its checkpoint only when it is that run's turn. */
export interface CheckpointSource {
  /** What was gathered since the last one; undefined when there is nothing. */
  takeCheckpoint(): Checkpoint | undefined;
  /** Told once the checkpoint is on disk, or refused. */
  settled(verdict: CheckpointVerdict): void;
  /** Told when the checkpoint can never be written as it is. */
  failed(error: unknown): void;
}

/** Writes the checkpoints of every run of the process, many in one statement. */
export interface CheckpointWriter {
  /** Puts a run in line, once. Its checkpoint is taken when the write begins, so it carries all that came until then. */
  enqueue(source: CheckpointSource): void;
  /** Resolves when nothing is in line or under way. */
  idle(): Promise<void>;
}

/** What the writer stands on. */
export interface CheckpointWriterOptions {
  readonly write: (checkpoints: readonly Checkpoint[]) => Promise<CheckpointVerdict[]>;
  /**
   * Brings what a checkpoint is too large for to its own place first; undefined for one that holds nothing of the kind. Such a
   * checkpoint is written by itself, so that others do not wait for it.
   */
  readonly prepare: (checkpoint: Checkpoint) => Promise<Checkpoint> | undefined;
  /** True for an error after which the same write may succeed: the database is away. */
  readonly isUnavailable: (error: unknown) => boolean;
  readonly onRetry: (error: unknown, attempt: number) => void;
  /** Writes under way at once at most: more than one where one takes long, or many checkpoints wait. */
  readonly concurrency: number;
  /** Runs of one write at most. */
  readonly maxSize: number;
}

const RETRY_MAX_MS = 1_000;

/**
 * Creates the writer. A write whose answer got lost is done again: it is known by epoch and checkpoint, so that changes
 * nothing. A batch that the database refuses for its content is split until the one at fault stands alone.
 */
export function createCheckpointWriter(options: CheckpointWriterOptions): CheckpointWriter {
  const line = new Set<CheckpointSource>();
  /** Runs whose checkpoint is under way: their next one waits, so that checkpoints of a run stay in order. */
  const busy = new Set<CheckpointSource>();
  const turns = createBatchTurns({ concurrency: options.concurrency, onFree: schedule });
  /** Checkpoints that are being prepared. */
  let preparing = 0;
  let isScheduled = false;
  const idleWaiters: (() => void)[] = [];

  function schedule(): void {
    if (isScheduled || line.size === 0 || !turns.isFree(line.size >= options.maxSize)) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      const batch = takeBatch();
      if (batch.length === 0) return;
      turns.begin();
      void writeBatch(batch).finally(() => {
        turns.end();
        release(batch);
      });
      schedule();
    });
  }

  function release(batch: readonly Entry[]): void {
    for (const { source } of batch) busy.delete(source);
    schedule();
    if (isIdle()) idleWaiters.splice(0).forEach((resolve) => resolve());
  }

  function isIdle(): boolean {
    return turns.underWay === 0 && preparing === 0 && line.size === 0;
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
      try {
        const checkpoint = (await preparation) ?? entry.checkpoint;
        await writeBatch([{ source: entry.source, checkpoint }]);
        return;
      } catch (error) {
        if (!options.isUnavailable(error)) {
          entry.source.failed(error);
          return;
        }
        options.onRetry(error, attempt);
        await pause(attempt);
        preparation = options.prepare(entry.checkpoint);
        // Whether it fails is seen at the top of the loop.
        preparation?.catch(() => undefined);
      }
    }
  }

  async function writeBatch(batch: readonly Entry[]): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const verdicts = await options.write(batch.map((entry) => entry.checkpoint));
        batch.forEach(({ source }, index) => source.settled(verdicts[index] ?? 'fenced'));
        return;
      } catch (error) {
        if (!options.isUnavailable(error)) {
          await isolate(batch, error);
          return;
        }
        options.onRetry(error, attempt);
        await pause(attempt);
      }
    }
  }

  async function isolate(batch: readonly Entry[], error: unknown): Promise<void> {
    if (batch.length === 1) {
      batch[0]?.source.failed(error);
      return;
    }
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

function pause(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.min(50 * 2 ** Math.min(attempt, 6), RETRY_MAX_MS)));
}

interface Entry {
  readonly source: CheckpointSource;
  readonly checkpoint: Checkpoint;
}

import type { RowPage } from '@deckhand/db';
import { actOnRows } from './act-on-rows.ts';
import type { BadRows } from './bad-rows.ts';
import type { BatchSize } from './batch-size.ts';

/**
 * How a task processes rows: it finds a page of rows and acts on them in batches, until none are left or its time
 * budget is used up.
 */
export interface RowWork<Row, Result> {
  readonly find: (page: RowPage) => Promise<readonly Row[]>;
  readonly idOf: (row: Row) => string;
  /** Returns the size of a row; without this function, batches are limited by rows only. */
  readonly bytesOf?: (row: Row) => number;
  /**
   * Acts on rows in one statement or transaction, which must check again the conditions under which they were found.
   */
  readonly act: (rows: readonly Row[]) => Promise<readonly Result[]>;
  /** Handles the results of a batch. An error here does not count against the rows. */
  readonly onDone?: (results: readonly Result[]) => Promise<void>;
  /** Maximum number of rows per batch. */
  readonly maxRows: number;
  /** Maximum number of bytes per batch; a single row may have more. */
  readonly maxBytes?: number;
  /** Returns how many batches may be in progress at once; 1 by default. They must not exclude each other. */
  readonly concurrency?: () => number;
  /** Time after which a pass begins no more batches, in ms. */
  readonly budgetMs: number;
}

/** What a pass needs. */
export interface RowWorkContext {
  readonly badRows: BadRows;
  readonly signal: AbortSignal;
  /** Returns true if the error means that the database is unavailable, and not that a row is bad. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** How a row is isolated that makes its batch too slow; without it, such an error is one of the database. */
  readonly slow?: { readonly isTooSlow: (error: unknown) => boolean; readonly batchSize: BatchSize };
}

/**
 * Makes one pass. A bad row is reported and skipped, and does not stop the others. A batch that is too slow ends the
 * pass, because each takes as long as a statement may: the next passes have smaller ones.
 * @returns whether it stopped because its time was over, so that rows may be left.
 * @throws the error if the database is unavailable, if many rows of a batch fail, or if `onDone` fails.
 */
export async function processRows<Row, Result>(work: RowWork<Row, Result>, context: RowWorkContext): Promise<boolean> {
  const { badRows, signal, isUnavailable, slow } = context;
  const startedAt = performance.now();
  const isOver = (): boolean => signal.aborted || performance.now() - startedAt >= work.budgetMs;
  const onBadRow = (row: Row, error: unknown): void => badRows.add(work.idOf(row), error);

  /** @returns whether the batch was too slow. */
  async function process(batch: readonly Row[]): Promise<boolean> {
    const done: Result[] = [];
    try {
      await actOnRows(batch, { act: work.act, isUnavailable, onBadRow }, (results) => done.push(...results));
      return false;
    } catch (error) {
      const [first, second] = batch;
      if (!slow?.isTooSlow(error) || first === undefined) throw error;
      slow.batchSize.tooSlow(batch.length);
      if (second === undefined) onBadRow(first, error);
      return true;
    } finally {
      if (done.length > 0) await work.onDone?.(done);
    }
  }

  for (;;) {
    const concurrency = work.concurrency?.() ?? 1;
    const maxRows = slow?.batchSize.limit(work.maxRows) ?? work.maxRows;
    const limit = maxRows * concurrency;
    const rows = await work.find({ limit, except: badRows.ids() });
    const waiting = [...batches(rows, { ...work, maxRows })];
    while (waiting.length > 0) {
      const settled = await Promise.allSettled(waiting.splice(0, concurrency).map(process));
      for (const outcome of settled) if (outcome.status === 'rejected') throw outcome.reason;
      if (settled.some((outcome) => outcome.status === 'fulfilled' && outcome.value)) return true;
      if (isOver()) {
        slow?.batchSize.passed();
        return true;
      }
    }
    if (rows.length < limit) {
      slow?.batchSize.passed();
      return false;
    }
  }
}

/** Splits a page into batches of limited size, in order. */
function* batches<Row>(
  rows: readonly Row[],
  { bytesOf = () => 0, maxBytes = Infinity, maxRows }: Pick<RowWork<Row, unknown>, 'bytesOf' | 'maxBytes' | 'maxRows'>,
): Generator<readonly Row[]> {
  let batch: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    const weight = bytesOf(row);
    if (batch.length === maxRows || (batch.length > 0 && bytes + weight > maxBytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(row);
    bytes += weight;
  }
  if (batch.length > 0) yield batch;
}

import type { RowPage } from '@deckhand/db';
import { actOnRows } from './act-on-rows.js';
import type { BadRows } from './bad-rows.js';

/**
 * How a task works through rows: it finds a page of them and acts on it, until none is left or its budget is used up.
 */
export interface RowWork<Row, Result> {
  readonly find: (page: RowPage) => Promise<readonly Row[]>;
  readonly idOf: (row: Row) => string;
  /** What a row weighs; nothing without it. */
  readonly bytesOf?: (row: Row) => number;
  /**
   * Acts on rows by one statement or transaction. The conditions under which they were found are checked again there.
   */
  readonly act: (rows: readonly Row[]) => Promise<readonly Result[]>;
  /** Does what follows from a batch: what fails here is no fault of the rows. */
  readonly onDone?: (results: readonly Result[]) => Promise<void>;
  /** Rows of a page, and of a batch, at most. */
  readonly maxRows: number;
  /** Bytes of a batch at most, unless one row alone has more. */
  readonly maxBytes?: number;
  /** How long a pass goes on beginning batches, in ms. */
  readonly budgetMs: number;
}

/** What a pass through rows works with. */
export interface RowWorkContext {
  readonly badRows: BadRows;
  readonly signal: AbortSignal;
  /** True for an error that says nothing of the rows. */
  readonly isUnavailable: (error: unknown) => boolean;
}

/**
 * Makes one pass. A bad row is reported and skipped; it stops no other.
 * @throws when the database is away, or nearly all rows fail.
 */
export async function processRows<Row, Result>(work: RowWork<Row, Result>, context: RowWorkContext): Promise<void> {
  const { badRows, signal, isUnavailable } = context;
  const startedAt = performance.now();
  const isOver = (): boolean => signal.aborted || performance.now() - startedAt >= work.budgetMs;
  const onBadRow = (row: Row, error: unknown): void => badRows.add(work.idOf(row), error);
  for (;;) {
    const rows = await work.find({ limit: work.maxRows, except: badRows.ids() });
    for (const batch of batches(rows, work)) {
      const done: Result[] = [];
      try {
        await actOnRows(batch, { act: work.act, isUnavailable, onBadRow }, (results) => done.push(...results));
      } finally {
        if (done.length > 0) await work.onDone?.(done);
      }
      if (isOver()) return;
    }
    if (rows.length < work.maxRows || isOver()) return;
  }
}

/** Cuts a page into batches of bounded weight, in their order. */
function* batches<Row>(
  rows: readonly Row[],
  { bytesOf = () => 0, maxBytes = Infinity }: Pick<RowWork<Row, unknown>, 'bytesOf' | 'maxBytes'>,
): Generator<readonly Row[]> {
  let batch: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    const weight = bytesOf(row);
    if (batch.length > 0 && bytes + weight > maxBytes) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(row);
    bytes += weight;
  }
  if (batch.length > 0) yield batch;
}

/** The action of a batch, and how its errors are classified. */
export interface BatchAction<Row, Result> {
  /** Acts on rows, all or none of them. */
  readonly act: (rows: readonly Row[]) => Promise<readonly Result[]>;
  /** True for an error that says nothing of the rows: the database is away. It is thrown on. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Notified of a row that fails even alone. */
  readonly onBadRow: (row: Row, error: unknown) => void;
}

/** With more bad rows in one batch, the rows are not what is wrong. */
const MAX_BAD_ROWS = 5;

/**
 * Acts on a batch of rows. A batch that fails is split until the rows at fault stand alone: these are reported and left
 * out.
 * @returns the results of the others.
 * @throws what makes the database unavailable, or more rows than a few fail with. `onResults` has had what was done
 * before.
 */
export async function actOnRows<Row, Result>(
  rows: readonly Row[],
  { act, isUnavailable, onBadRow }: BatchAction<Row, Result>,
  onResults: (results: readonly Result[]) => void,
): Promise<void> {
  let badRows = 0;

  async function attempt(batch: readonly Row[]): Promise<void> {
    try {
      onResults(await act(batch));
    } catch (error) {
      if (isUnavailable(error)) throw error;
      const [first] = batch;
      if (batch.length === 1 && first !== undefined) {
        badRows += 1;
        onBadRow(first, error);
        if (badRows > MAX_BAD_ROWS) throw error;
        return;
      }
      const middle = Math.ceil(batch.length / 2);
      await attempt(batch.slice(0, middle));
      await attempt(batch.slice(middle));
    }
  }

  if (rows.length > 0) await attempt(rows);
}

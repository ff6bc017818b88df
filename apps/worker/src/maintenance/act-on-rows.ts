/** The action of a batch, and how its errors are classified. */
export interface BatchAction<Row, Result> {
  /** Acts on rows, all or none of them. */
  readonly act: (rows: readonly Row[]) => Promise<readonly Result[]>;
  /** Returns true if the error means that the database is unavailable, and not that a row is bad. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Called for a row that fails even alone. */
  readonly onBadRow: (row: Row, error: unknown) => void;
}

/** With more bad rows in one batch, the cause is not in the rows. */
const MAX_BAD_ROWS = 5;

/**
 * Acts on a batch of rows. A batch that fails is split until the bad rows are alone; these are reported and skipped.
 * @param onResults called with the results of the other rows, also of those done before an error is thrown.
 * @throws the error if the database is unavailable, or if more than `MAX_BAD_ROWS` rows fail.
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

import { INLINE_OUTPUT_BYTES } from '@deckhand/contracts';
import type { Checkpoint, NodeRunRow, StoredNodeRun } from '@deckhand/db';
import type { OutputStore } from '@deckhand/outputs';

/**
 * Brings the outputs above 64 KiB of a checkpoint to their store. The checkpoint that refers to them is written after they are
 * durable; what is kept and never referred to goes with its run.
 * @returns undefined when it has none.
 */
export function keepApart(store: OutputStore, checkpoint: Checkpoint): Promise<Checkpoint> | undefined {
  const isLarge = ({ outputBytes }: NodeRunRow): boolean => outputBytes > INLINE_OUTPUT_BYTES;
  if (!checkpoint.nodeRuns.some(isLarge) && !checkpoint.nodeIterations.some(isLarge)) return undefined;

  async function refer<Row extends NodeRunRow>(row: Row): Promise<Row> {
    if (row.output === null || !isLarge(row)) return row;
    return { ...row, output: null, outputRef: await store.put(checkpoint.executionId, row.output) };
  }
  return Promise.all([
    Promise.all(checkpoint.nodeRuns.map(refer)),
    Promise.all(checkpoint.nodeIterations.map(refer)),
  ]).then(([nodeRuns, nodeIterations]) => ({ ...checkpoint, nodeRuns, nodeIterations }));
}

/** Puts the outputs of node runs that are stored apart in their place, for the worker that goes on with the run. */
export async function bringBack(store: OutputStore, rows: readonly StoredNodeRun[]): Promise<readonly StoredNodeRun[]> {
  const refs = rows.flatMap(({ outputRef }) => (outputRef === null ? [] : [outputRef]));
  if (refs.length === 0) return rows;
  const outputs = await store.get(refs);
  return rows.map((row) => (row.outputRef === null ? row : { ...row, output: outputs.get(row.outputRef) ?? null }));
}

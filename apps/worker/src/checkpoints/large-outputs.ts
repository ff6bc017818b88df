import { INLINE_OUTPUT_BYTES } from '@deckhand/contracts';
import type { Checkpoint, NodeRunRow, StoredNodeRun } from '@deckhand/db';
import { OutputGoneError, type OutputStore } from '@deckhand/outputs';

/**
 * Brings the outputs above 64 KiB of a checkpoint to their store. The checkpoint that refers to them is written after
 * they are durable; what is kept and never referred to goes with its run.
 * @returns undefined when it has none.
 */
export function offloadOutputs(store: OutputStore, checkpoint: Checkpoint): Promise<Checkpoint> | undefined {
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

/** Node runs with their outputs in their place. */
export interface NodeRunsWithOutputs {
  readonly rows: readonly StoredNodeRun[];
  /** The node of an output that is gone from its store: who needs these rows cannot go on. Undefined if none is. */
  readonly goneNodeId: string | undefined;
}

/** Puts the outputs of node runs that are stored apart in their place, for the worker that goes on with the run. */
export async function loadOutputs(store: OutputStore, rows: readonly StoredNodeRun[]): Promise<NodeRunsWithOutputs> {
  const refs = rows.flatMap(({ outputRef }) => (outputRef === null ? [] : [outputRef]));
  if (refs.length === 0) return { rows, goneNodeId: undefined };
  try {
    const outputs = await store.get(refs);
    const complete = rows.map((row) =>
      row.outputRef === null ? row : { ...row, output: outputs.get(row.outputRef) ?? null },
    );
    return { rows: complete, goneNodeId: undefined };
  } catch (error) {
    if (!(error instanceof OutputGoneError)) throw error;
    return { rows, goneNodeId: rows.find(({ outputRef }) => outputRef === error.ref)?.nodeId ?? '' };
  }
}

import { INLINE_OUTPUT_BYTES } from '@deckhand/contracts';
import type { Checkpoint, NodeRunRow, StoredNodeRun } from '@deckhand/db';
import { OutputGoneError, type OutputStore } from '@deckhand/outputs';

/**
 * Moves the outputs of a checkpoint that are larger than 64 KiB to the output store. They are durable when the promise
 * resolves, and the checkpoint that refers to them is written afterwards. If it is never written, the stored outputs
 * are deleted with their run.
 * @returns the checkpoint with references; undefined when it has no large output.
 */
export function offloadOutputs(store: OutputStore, checkpoint: Checkpoint): Promise<Checkpoint> | undefined {
  // The summary of a node in a loop has the size of outputs that are in rows of their own.
  const isLarge = ({ output, outputBytes }: NodeRunRow): boolean =>
    output !== null && outputBytes > INLINE_OUTPUT_BYTES;
  if (!checkpoint.nodeRuns.some(isLarge) && !checkpoint.nodeIterations.some(isLarge)) return undefined;

  async function offload<Row extends NodeRunRow>(row: Row): Promise<Row> {
    if (row.output === null || !isLarge(row)) return row;
    return { ...row, output: null, outputRef: await store.put(checkpoint.executionId, row.output) };
  }
  return Promise.all([
    Promise.all(checkpoint.nodeRuns.map(offload)),
    Promise.all(checkpoint.nodeIterations.map(offload)),
  ]).then(([nodeRuns, nodeIterations]) => ({ ...checkpoint, nodeRuns, nodeIterations }));
}

/** Node runs with their outputs. */
export interface NodeRunsWithOutputs {
  readonly rows: readonly StoredNodeRun[];
  /** A node whose output is missing from the output store: a run that needs these rows cannot continue. */
  readonly goneNodeId: string | undefined;
}

/** Loads the offloaded outputs of node runs, for a worker that continues the run. @throws the error of the store. */
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

import type { Checkpoint } from '@deckhand/db';

type NodeRow = Checkpoint['nodeRuns'][number];

/** Returns the row of a node in a checkpoint: one that succeeded at its first attempt, without an output. */
export function nodeRow(nodeId: string, given: Partial<NodeRow> = {}): NodeRow {
  return {
    nodeId,
    status: 'success',
    startedAt: 1_000,
    finishedAt: 2_000,
    attempts: 1,
    attemptHistory: null,
    handle: null,
    output: null,
    outputRef: null,
    outputBytes: 0,
    error: null,
    state: null,
    debug: null,
    iterations: null,
    lastIteration: null,
    ...given,
  };
}

import type { NodeStatus } from '@deckhand/contracts';
import type { NodeRunRow, NodeSummaryRow } from '@deckhand/db';
import type { NodeRecord } from '@deckhand/engine';

/** Counts the iterations of a node inside a loop, including those that earlier workers recorded. */
export interface NodeTally {
  iterations: number;
  startedAt: number | null;
  lastIteration: string;
  /** Size of the outputs of all iterations together, as JSON in bytes. */
  outputBytes: number;
  /** Number of iterations by status. */
  readonly counts: Map<NodeStatus, number>;
  /** The error of the iteration that failed last. */
  error?: string | null;
}

/** Returns the tally of a node of which no iteration is counted yet. @param startedAt of its first iteration. */
export function emptyTally(startedAt: number | null): NodeTally {
  return { iterations: 0, startedAt, lastIteration: '', outputBytes: 0, counts: new Map() };
}

/**
 * Adds the row of an iteration to the tally of its node.
 * @param before the status of the iteration until now; undefined for a new one.
 */
export function countIteration(
  tally: NodeTally,
  { iteration }: Pick<NodeRecord, 'iteration'>,
  { status, outputBytes, error }: NodeRunRow,
  before: NodeStatus | undefined,
): void {
  if (before === undefined) tally.iterations += 1;
  else tally.counts.set(before, (tally.counts.get(before) ?? 1) - 1);
  tally.counts.set(status, (tally.counts.get(status) ?? 0) + 1);
  tally.lastIteration = iteration;
  tally.outputBytes += outputBytes;
  if (status === 'failed') tally.error = error;
}

/**
 * Returns the summary of a node inside a loop: its latest iteration, without the output, and over all iterations the
 * size of the outputs and counts by status.
 * @param row of the latest iteration.
 * @param hasRunFailed whether the run ends because a node failed.
 */
export function summarise(tally: NodeTally, row: NodeRunRow, hasRunFailed: boolean): NodeSummaryRow {
  // A node that failed the run stays failed, although its other iterations are stopped afterwards.
  const isFailed = row.status === 'stopped' && hasRunFailed && tally.error !== undefined;
  return {
    nodeId: row.nodeId,
    status: isFailed ? 'failed' : row.status,
    startedAt: tally.startedAt,
    finishedAt: row.finishedAt,
    attempts: row.attempts,
    attemptHistory: null,
    handle: row.handle,
    output: null,
    outputRef: null,
    outputBytes: tally.outputBytes,
    error: isFailed ? (tally.error ?? null) : row.error,
    state: null,
    debug: null,
    iterations: tally.iterations,
    lastIteration: tally.lastIteration,
    iterationCounts: JSON.stringify(Object.fromEntries([...tally.counts].filter(([, count]) => count > 0))),
  };
}

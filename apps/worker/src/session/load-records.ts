import type { ClaimedExecution, StoredNodeRun } from '@deckhand/db';
import { openIterations, recordKey } from '@deckhand/engine';
import type { NodeRunsWithOutputs } from '../checkpoints/large-outputs.ts';
import { readPositions } from '../checkpoints/loop-positions.ts';
import { type EarlierRecords, readRecords } from './records.ts';

/** Reads rows of a run. */
export interface RecordRows {
  /** Reads all rows. */
  readonly all: (executionId: string) => Promise<NodeRunsWithOutputs>;
  /** Reads all rows but those of other iterations. */
  readonly open: (executionId: string, iterations: readonly string[]) => Promise<NodeRunsWithOutputs>;
}

/**
 * Creates a function that reads what a claimed run needs to continue: of its loops only the iterations in progress, so
 * that a run with thousands of finished ones resumes as fast as one with few. All iterations are read where the last
 * checkpoint has no positions, and for a rerun from a node, which must find those that it has already copied.
 */
export function createRecordsLoader(rows: RecordRows): (claimed: ClaimedExecution) => Promise<EarlierRecords> {
  return async (claimed) => {
    const { id, epoch, loopPositions, rerunFromNodeId } = claimed;
    const positions = rerunFromNodeId === null ? readPositions(loopPositions, epoch) : undefined;
    const open = positions && (await rows.open(id, openIterations(positions)));
    if (open?.rows.every(isCounted)) {
      const byKey = positions?.map((position) => [recordKey(position.nodeId, position.iteration), position] as const);
      return { ...readRecords(open.rows), positions: new Map(byKey), goneNodeId: open.goneNodeId };
    }
    const all = await rows.all(id);
    return { ...readRecords(all.rows), goneNodeId: all.goneNodeId };
  };
}

/** Returns false for the summary of a node in a loop without counts, which an earlier version wrote. */
function isCounted({ iterations, iterationCounts }: StoredNodeRun): boolean {
  return iterations === null || iterationCounts !== null;
}

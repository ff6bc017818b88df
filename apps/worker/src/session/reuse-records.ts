import type { ClaimedExecution, StoredNodeRun } from '@deckhand/db';
import { type CompiledWorkflow, type NodeRecord, reuseRecords } from '@deckhand/engine';
import { readRecords } from './records.js';

/** The records that a run should reuse were deleted between its acceptance and its start. */
export class SourceRunGoneError extends Error {}

/** What is read of the run that another one repeats. */
export interface SourceRunParts {
  readonly loadVersion: (versionId: string) => Promise<CompiledWorkflow>;
  readonly loadNodeRuns: (executionId: string) => Promise<readonly StoredNodeRun[]>;
  /** Whether a run still has its data: retention takes all of it at once. */
  readonly hasData: (executionId: string) => Promise<boolean>;
}

/**
 * Finds the records that a run goes on from: its own, and for one that repeats another from a node, those that it
 * reuses. Its own come first, so a worker that dies while it makes the reused ones its own needs no special case.
 */
export function createRecordsReader({
  loadVersion,
  loadNodeRuns,
  hasData,
}: SourceRunParts): (
  claimed: ClaimedExecution,
  own: ReadonlyMap<string, NodeRecord>,
) => Promise<ReadonlyMap<string, NodeRecord>> {
  /**
   * @throws SourceRunGoneError when the source run has lost its data before this run made all of them its own; or what
   * `loadNodeRuns` throws.
   */
  return async ({ rerunOf, rerunFromNodeId, workflowVersionId, triggerNodeId }, own) => {
    if (rerunOf === null || rerunFromNodeId === null) return own;
    const { records } = readRecords(await loadNodeRuns(rerunOf), 'rerun');
    // Asked after the reading: what was there before it may have gone in between.
    if (!(await hasData(rerunOf))) {
      // The reused records are on disk before the node itself is.
      if (own.has(`${rerunFromNodeId}/`)) return own;
      throw new SourceRunGoneError('the source run has no data any more');
    }
    const workflow = await loadVersion(workflowVersionId);
    return new Map([...reuseRecords({ workflow, triggerNodeId, records }, rerunFromNodeId), ...own]);
  };
}

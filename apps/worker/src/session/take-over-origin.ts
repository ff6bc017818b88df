import type { ClaimedExecution, StoredNodeRun } from '@deckhand/db';
import { type CompiledWorkflow, type NodeRecord, takeOver } from '@deckhand/engine';
import { readRecords } from './records.js';

/** What a run should take over went between its acceptance and its start. */
export class OriginGoneError extends Error {}

/** What is read of the original. */
export interface OriginParts {
  readonly loadVersion: (versionId: string) => Promise<CompiledWorkflow>;
  readonly loadNodeRuns: (executionId: string) => Promise<readonly StoredNodeRun[]>;
  /** Whether a run still has its data: retention takes all of it at once. */
  readonly hasData: (executionId: string) => Promise<boolean>;
}

/**
 * Finds what a run goes on from: its own records, and under them, for one that repeats another from a node, what it takes
 * over. Its own come first, so a worker that died while it made those of the original its own is nothing special.
 */
export function createOriginReader({
  loadVersion,
  loadNodeRuns,
  hasData,
}: OriginParts): (
  claimed: ClaimedExecution,
  own: ReadonlyMap<string, NodeRecord>,
) => Promise<ReadonlyMap<string, NodeRecord>> {
  /** @throws OriginGoneError for an original without data, when the run has not taken all of it over yet. */
  return async ({ rerunOf, rerunFromNodeId, workflowVersionId, triggerNodeId }, own) => {
    if (rerunOf === null || rerunFromNodeId === null) return own;
    const { records } = readRecords(await loadNodeRuns(rerunOf), 'rerun');
    // Asked after the reading: what was there before it may have gone in between.
    if (!(await hasData(rerunOf))) {
      // What is taken over is on disk before the node itself is.
      if (own.has(`${rerunFromNodeId}/`)) return own;
      throw new OriginGoneError('the original has no data any more');
    }
    const workflow = await loadVersion(workflowVersionId);
    return new Map([...takeOver({ workflow, triggerNodeId, records }, rerunFromNodeId), ...own]);
  };
}

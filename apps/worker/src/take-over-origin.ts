import type { ClaimedExecution, StoredNodeRun } from '@deckhand/db';
import { type CompiledWorkflow, type NodeRecord, takeOver } from '@deckhand/engine';
import { readRecords } from './records.js';

/**
 * Finds what a run goes on from: its own records, and under them, for one that repeats another from a node, what it takes
 * over. Its own come first, so a worker that died while it made those of the original its own is nothing special.
 */
export function createOriginReader(
  loadVersion: (versionId: string) => Promise<CompiledWorkflow>,
  loadNodeRuns: (executionId: string) => Promise<readonly StoredNodeRun[]>,
): (claimed: ClaimedExecution, own: ReadonlyMap<string, NodeRecord>) => Promise<ReadonlyMap<string, NodeRecord>> {
  return async ({ rerunOf, rerunFromNodeId, workflowVersionId, triggerNodeId }, own) => {
    if (rerunOf === null || rerunFromNodeId === null) return own;
    const { records } = readRecords(await loadNodeRuns(rerunOf), 'rerun');
    const workflow = await loadVersion(workflowVersionId);
    return new Map([...takeOver({ workflow, triggerNodeId, records }, rerunFromNodeId), ...own]);
  };
}

import type { ClaimedExecution, RerunChecks, StoredNodeRun } from '@deckhand/db';
import {
  type CompiledWorkflow,
  mayReach,
  type NodeRecord,
  nodesUntil,
  reuseRecords,
  typesOfNodes,
} from '@deckhand/engine';
import { mocksOf } from './mocks.ts';
import { readRecords } from './records.ts';

/** The records that a run should reuse were deleted between its acceptance and its start. */
export class SourceRunGoneError extends Error {}

/** Reads the data of its source run that a rerun needs. */
export interface SourceRunParts {
  readonly loadVersion: (versionId: string) => Promise<CompiledWorkflow>;
  readonly loadNodeRuns: (executionId: string) => Promise<readonly StoredNodeRun[]>;
  /**
   * Returns the version of a run that still has its data; undefined for another. Retention deletes all data of a run at
   * once.
   */
  readonly versionWithData: (executionId: string) => Promise<string | undefined>;
  readonly readDefinition: (versionId: string) => Promise<unknown>;
}

/**
 * Creates a function that returns the records from which a run continues: its own and, for a rerun from a node, those
 * that it reuses of its source run. Where both exist, its own wins: so a worker that dies while it copies the reused
 * records needs no special case.
 */
export function createRecordsReader({
  loadVersion,
  loadNodeRuns,
  versionWithData,
  readDefinition,
}: SourceRunParts): (
  claimed: ClaimedExecution,
  own: ReadonlyMap<string, NodeRecord>,
) => Promise<ReadonlyMap<string, NodeRecord>> {
  /**
   * @throws SourceRunGoneError when the data of the source run was deleted before this run had copied all records; or
   * the error of `loadNodeRuns`.
   */
  return async (claimed, own) => {
    const { rerunOf, rerunFromNodeId, untilNodeId, workflowVersionId, triggerNodeId } = claimed;
    if (rerunOf === null || rerunFromNodeId === null) return own;
    const { records } = readRecords(await loadNodeRuns(rerunOf), 'rerun');
    // Checked after the rows were read: checked before, the data could be deleted in between.
    const sourceVersionId = await versionWithData(rerunOf);
    if (sourceVersionId === undefined) {
      // All reused records are on disk before the first record of the node from which the run repeats.
      if (own.has(`${rerunFromNodeId}/`)) return own;
      throw new SourceRunGoneError('the source run has no data any more');
    }
    const workflow = await loadVersion(workflowVersionId);
    const types =
      sourceVersionId === workflowVersionId ? undefined : typesOfNodes(await readDefinition(sourceVersionId));
    const iterations = claimed.rerunIterations === 'failed' ? 'failed' : 'all';
    const reused = reuseRecords({ workflow, triggerNodeId, records, types }, rerunFromNodeId, iterations);
    const runs = untilNodeId === null ? undefined : nodesUntil(workflow, untilNodeId);
    const mocks = mocksOf(claimed);
    for (const [key, { nodeId, status }] of reused) {
      // What this run leaves out does not continue.
      if (runs?.has(nodeId) === false) {
        if (status !== 'success' && status !== 'failed') reused.delete(key);
      } else if (mocks.has(nodeId)) reused.delete(key);
    }
    return new Map([...reused, ...own]);
  };
}

/**
 * Creates the function that returns whether a rerun from a node may come to that node, for versions other than that of
 * the original run.
 */
export function createReachCheck({
  loadVersion,
  readDefinition,
}: Pick<SourceRunParts, 'loadVersion' | 'readDefinition'>): RerunChecks['mayReach'] {
  return async ({ fromNodeId, triggerNodeId, versionId, sourceVersionId, ways }) => {
    const workflow = await loadVersion(versionId);
    const types = typesOfNodes(await readDefinition(sourceVersionId));
    return mayReach({ workflow, triggerNodeId, ways, types }, fromNodeId);
  };
}

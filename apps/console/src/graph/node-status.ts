import type { NodeProgress, NodeStatus } from '@deckhand/contracts';

/** Returns the status of a node, in all its iterations: failed if one of them failed and the latest has ended. */
export function statusOf({ status, iterationCounts }: Pick<NodeProgress, 'status' | 'iterationCounts'>): NodeStatus {
  const hasFailed = (iterationCounts?.failed ?? 0) > 0;
  return hasFailed && (status === 'success' || status === 'skipped') ? 'failed' : status;
}

import { createHash } from 'node:crypto';
import { Prisma } from '../../client.ts';
import type { ClaimedExecution } from './claim.ts';

/** The data that a run starts from, in addition to its id. */
export type RunInput = Pick<
  ClaimedExecution,
  'workspaceId' | 'workflowVersionId' | 'executionMode' | 'triggerNodeId' | 'deadlineAt' | 'triggerData'
>;

/**
 * Returns the SHA-256, hex, of the data that a run starts from. A worker that started a run from a snapshot sends it
 * with its first checkpoint, so that somebody who can write to the queue cannot change what a run does.
 */
export function computeRunDigest(run: RunInput): string {
  const { workspaceId, workflowVersionId, executionMode, triggerNodeId, deadlineAt, triggerData } = run;
  return createHash('sha256')
    .update(
      [workspaceId, workflowVersionId, executionMode, triggerNodeId, deadlineAt.getTime(), triggerData].join('\n'),
    )
    .digest('hex');
}

/** Returns the same digest of the row `run` of executions, as SQL. */
export function computeRowDigest(run: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`encode(sha256(convert_to(concat_ws(E'\\n', ${run}.workspace_id, ${run}.workflow_version_id,
    ${run}.execution_mode, ${run}.trigger_node_id, (extract(epoch FROM ${run}.deadline_at) * 1000)::bigint,
    ${run}.trigger_data), 'UTF8')), 'hex')`;
}

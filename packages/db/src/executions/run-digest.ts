import { createHash } from 'node:crypto';
import { Prisma } from '../client.js';
import type { ClaimedExecution } from './claim.js';

/** What a run is begun with, beside its id. */
export type RunInput = Pick<
  ClaimedExecution,
  'workspaceId' | 'workflowVersionId' | 'executionMode' | 'triggerNodeId' | 'deadlineAt' | 'triggerData'
>;

/**
 * SHA-256, hex, of what a run is begun with. A worker that did not read it here shows with it what it took it to be, so
 * that whoever can write into the queue cannot change what a run does.
 */
export function digestOfRun(run: RunInput): string {
  const { workspaceId, workflowVersionId, executionMode, triggerNodeId, deadlineAt, triggerData } = run;
  return createHash('sha256')
    .update(
      [workspaceId, workflowVersionId, executionMode, triggerNodeId, deadlineAt.getTime(), triggerData].join('\n'),
    )
    .digest('hex');
}

/** The same of the row `run` of executions, as SQL. */
export function digestOfRow(run: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`encode(sha256(convert_to(concat_ws(E'\\n', ${run}.workspace_id, ${run}.workflow_version_id,
    ${run}.execution_mode, ${run}.trigger_node_id, (extract(epoch FROM ${run}.deadline_at) * 1000)::bigint,
    ${run}.trigger_data), 'UTF8')), 'hex')`;
}

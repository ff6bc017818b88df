import { type Queryable } from '../client.js';
import { countHeldRuns } from './count-slots.js';

/**
 * Brings a workflow's limit of runs at once in line with its status and versions; to be called in the transaction that
 * changes those, after them. The active version says it while the workflow is active, since that is what others start,
 * else the latest. Runs that are held already count at once; runs that a lower limit would not let in go on.
 */
export async function syncWorkflowLimit(tx: Queryable, workflowId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE workflows w SET max_concurrent_executions = (
      SELECT (v.definition #>> '{settings,maxConcurrentExecutions}')::int FROM workflow_versions v
      WHERE v.id = CASE WHEN w.status = 'active' THEN w.active_version_id ELSE w.latest_version_id END)
    WHERE w.id = ${workflowId}::uuid`;
  await countHeldRuns(tx, { workflowId });
}

import type { Actor } from '../access.js';
import type { Queryable } from '../client.js';
import { recordChange } from './record.js';

/** Records that a run of a workflow was started, right after it was accepted. */
export async function recordStart(db: Queryable, actor: Actor, workflowId: string, executionId: string): Promise<void> {
  const workflow = await db.workflow.findUnique({ where: { id: workflowId }, select: { workspaceId: true } });
  if (!workflow) return;
  const { workspaceId } = workflow;
  await recordChange(db, actor, {
    action: 'workflow.execute',
    workspaceId,
    resourceId: workflowId,
    details: { executionId },
  });
}

import { DeckhandError, type UpdateWorkflowBody, validationFailed } from '@deckhand/contracts';
import type { Actor, AllowedStates } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database, Queryable } from '../client.js';
import { syncWorkflowLimit } from '../concurrency/sync-workflow.js';
import { type FirstDue, syncSchedules } from '../schedules/sync.js';
import { recordActivation } from './activations.js';
import { requireFolder } from './folder.js';
import { type LockedWorkflow, lockWorkflow } from './lock.js';

/**
 * Changes a workflow. Activating it without a version activates the latest one. Its schedules and its limit of
 * concurrent runs follow its status and its active version, and every change of these is recorded in the audit log.
 * @throws DeckhandError NOT_FOUND; FORBIDDEN below the role editor; NO_ACTIVE_VERSION when it is activated and has no
 * version; VALIDATION_FAILED for a folder or a version that does not belong to it; PRECONDITION_FAILED when it is in
 * none of `states`.
 */
export function updateWorkflow(
  db: Database,
  actor: Actor,
  id: string,
  changes: UpdateWorkflowBody,
  firstDue: FirstDue,
  states?: AllowedStates,
): Promise<void> {
  return db.$transaction(async (tx) => {
    const workflow = await lockWorkflow(tx, actor, id, 'editor');
    if (!isInState(workflow, states)) throw new DeckhandError('PRECONDITION_FAILED');
    if (changes.folderId !== undefined) await requireFolder(tx, workflow.workspaceId, changes.folderId);
    const activeVersionId = await nextActiveVersion(tx, workflow, changes);
    await tx.workflow.update({ where: { id }, data: { ...changes, activeVersionId } });
    if (changes.status !== undefined || changes.activeVersionId !== undefined) {
      const to = { status: changes.status ?? workflow.status, activeVersionId };
      await syncSchedules(tx, { id, ...to }, firstDue);
      await syncWorkflowLimit(tx, id);
      await recordActivation(tx, actor, { id, workspaceId: workflow.workspaceId, from: workflow, to });
    }
    await recordChange(tx, actor, {
      action: 'workflow.update',
      workspaceId: workflow.workspaceId,
      resourceId: id,
      details: { changed: Object.keys(changes) },
    });
  });
}

function isInState({ updatedAt }: LockedWorkflow, states: AllowedStates): boolean {
  return states === undefined || states.some((state) => state.getTime() === updatedAt.getTime());
}

async function nextActiveVersion(
  tx: Queryable,
  workflow: LockedWorkflow,
  changes: UpdateWorkflowBody,
): Promise<string | null> {
  if (changes.activeVersionId !== undefined) {
    await requireVersion(tx, workflow.id, changes.activeVersionId);
    return changes.activeVersionId.toLowerCase();
  }
  if (changes.status !== 'active') return workflow.activeVersionId;
  if (workflow.latestVersionId === null) throw new DeckhandError('NO_ACTIVE_VERSION');
  return workflow.latestVersionId;
}

async function requireVersion(tx: Queryable, workflowId: string, id: string): Promise<void> {
  const version = await tx.workflowVersion.findFirst({ where: { id, workflowId }, select: { id: true } });
  if (!version) throw validationFailed([{ path: 'activeVersionId', message: 'is no version of this workflow' }]);
}

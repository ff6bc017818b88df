import { v7 as uuidv7 } from 'uuid';
import type { JsonValue } from '@deckhand/contracts';
import type { Actor, LinkHolder, System } from '../access.ts';
import type { Queryable } from '../client.ts';
import { markRequest } from '../idempotency/requests.ts';

/** A change to record in the audit log. Its details never contain a secret. */
export interface Change {
  /** The resource and the action, such as `workflow.create`. */
  readonly action: `${string}.${string}`;
  /** Null for a change that belongs to no workspace. */
  readonly workspaceId: string | null;
  readonly resourceId: string;
  readonly details?: Readonly<Record<string, JsonValue>>;
}

/**
 * Records a change in the transaction that makes it, so that neither exists without the other. The same transaction
 * marks the request with an Idempotency-Key as carried out.
 */
export async function recordChange(tx: Queryable, actor: Actor | LinkHolder | System, change: Change): Promise<void> {
  if (actor.requestToken !== undefined) await markRequest(tx, actor.requestToken, change);
  await tx.auditEntry.create({ data: toRow(actor, change), select: { id: true } });
}

/** Maximum number of workspaces whose audit logs have an entry about one change. */
const MAX_WORKSPACES = 1_000;

/**
 * Records a change of an API key. A key that is bound to no workspace acts in all workspaces of its owner: so the audit
 * log of each has an entry, besides that of the instance.
 */
export async function recordKeyChange(tx: Queryable, actor: Actor, change: Change): Promise<void> {
  await recordChange(tx, actor, change);
  if (change.workspaceId !== null) return;
  const memberships = await tx.membership.findMany({
    where: { userId: actor.userId },
    select: { workspaceId: true },
    take: MAX_WORKSPACES,
  });
  await tx.auditEntry.createMany({
    data: memberships.map(({ workspaceId }) => ({ ...toRow(actor, { ...change, workspaceId }), isCopy: true })),
  });
}

function toRow(actor: Actor | LinkHolder | System, { action, workspaceId, resourceId, details }: Change) {
  return {
    id: uuidv7(),
    workspaceId,
    userId: actor.userId,
    ...actor.origin?.(),
    action,
    resourceType: resourceTypeOf(action),
    resourceId,
    details: { ...details },
  };
}

/** Records a change of a run right after it was made: runs are changed in batches that may concern many people. */
export async function recordExecutionChange(
  db: Queryable,
  actor: Actor,
  action: `execution.${string}`,
  executionId: string,
): Promise<void> {
  const execution = await db.execution.findUnique({ where: { id: executionId }, select: { workspaceId: true } });
  if (!execution) return;
  await recordChange(db, actor, { action, workspaceId: execution.workspaceId, resourceId: executionId });
}

function resourceTypeOf(action: string): string {
  return action.slice(0, action.indexOf('.'));
}

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

import { v7 as uuidv7 } from 'uuid';
import type { JsonValue } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import type { Queryable } from '../client.js';
import { markRequest } from '../idempotency/requests.js';

/** A change to put on record. Its details never hold a secret. */
export interface Change {
  /** What was done to which kind of resource, such as `workflow.create`. */
  readonly action: `${string}.${string}`;
  /** Null for what belongs to no workspace. */
  readonly workspaceId: string | null;
  readonly resourceId: string;
  readonly details?: Readonly<Record<string, JsonValue>>;
}

/**
 * Puts a change on record, in the transaction that makes it: there is neither without the other. So with the mark of
 * the request that asked for it.
 */
export async function recordChange(tx: Queryable, actor: Actor, change: Change): Promise<void> {
  const { action, workspaceId, resourceId, details } = change;
  if (actor.requestToken !== undefined) await markRequest(tx, actor.requestToken, change);
  await tx.auditEntry.create({
    data: {
      id: uuidv7(),
      workspaceId,
      userId: actor.userId,
      ...actor.origin?.(),
      action,
      resourceType: resourceTypeOf(action),
      resourceId,
      details: { ...details },
    },
    select: { id: true },
  });
}

/** Puts a change of a run on record, right after it was made: runs are changed in batches, many people's at once. */
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

import { DeckhandError, type ExecutionMode, type Role } from '@deckhand/contracts';
import { type Actor, requireRoleOf } from '../access.js';
import type { Database } from '../client.js';
import { noSuchWorkflow } from '../workflows/lock.js';

/** The data with which a request to a webhook started its run. */
export interface ReplayedDelivery {
  readonly executionId: string;
  readonly nodeId: string;
  readonly mode: ExecutionMode;
  /** Serialized JSON. */
  readonly triggerData: string;
}

type Row = { readonly role: Role } & { readonly [member in keyof ReplayedDelivery]: ReplayedDelivery[member] | null };

/**
 * Reads what is needed to start another run for a request to a webhook. The payload of a request is that of its run, so
 * it is kept as long as the data of that run.
 * @throws DeckhandError NOT_FOUND if the actor may not see it; FORBIDDEN for a viewer; TRIGGER_DATA_GONE if the request
 * started no run, or the data of the run was deleted.
 */
export async function readForReplay(
  db: Database,
  actor: Actor,
  { workflowId, deliveryId }: { readonly workflowId: string; readonly deliveryId: string },
): Promise<ReplayedDelivery> {
  const [row] = await db.$queryRaw<Row[]>`
    SELECT m.role::text, d.execution_id AS "executionId", d.node_id AS "nodeId", e.execution_mode::text AS mode,
      e.trigger_data AS "triggerData"
    FROM workflows w
    JOIN memberships m ON m.workspace_id = w.workspace_id AND m.user_id = ${actor.userId}::uuid
    LEFT JOIN webhook_deliveries d ON d.workflow_id = w.id AND d.id = ${deliveryId}::uuid
    LEFT JOIN executions e ON e.id = d.execution_id
    WHERE w.id = ${workflowId}::uuid AND (${actor.boundTo}::uuid IS NULL OR w.workspace_id = ${actor.boundTo}::uuid)`;
  if (!row) throw noSuchWorkflow();
  const { role, executionId, nodeId, mode, triggerData } = row;
  requireRoleOf(role, 'editor');
  if (nodeId === null) throw new DeckhandError('NOT_FOUND', { message: 'The workflow has no such delivery' });
  if (executionId === null || mode === null || triggerData === null) {
    throw new DeckhandError('TRIGGER_DATA_GONE', {
      message: 'The request started no run, or the data of its run was deleted: its payload is not available',
    });
  }
  return { executionId, nodeId, mode, triggerData };
}

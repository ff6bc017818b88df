import type { WorkflowStatus } from '@deckhand/contracts';
import { type Queryable, Prisma } from '../client.ts';

/**
 * Updates the event triggers of a workflow to its status and its active version: an inactive workflow has none. Call it
 * in the transaction that changes those, which holds the lock of the workflow.
 */
export async function syncEventTriggers(
  tx: Queryable,
  workflow: { readonly id: string; readonly status: WorkflowStatus; readonly activeVersionId: string | null },
): Promise<void> {
  await tx.$executeRaw(Prisma.sql`DELETE FROM event_triggers WHERE workflow_id = ${workflow.id}::uuid`);
  if (workflow.status !== 'active' || workflow.activeVersionId === null) return;
  await tx.$executeRaw(Prisma.sql`
    INSERT INTO event_triggers (workflow_id, node_id, workflow_version_id, workspace_id, name, filter, start_options)
    SELECT w.id, node ->> 'id', v.id, w.workspace_id, node #>> '{parameters,name}', node #>> '{parameters,filter}',
      node #>> '{parameters,options}'
    FROM workflows w JOIN workflow_versions v ON v.id = ${workflow.activeVersionId}::uuid
      CROSS JOIN LATERAL json_array_elements(v.definition -> 'nodes') AS node
    WHERE w.id = ${workflow.id}::uuid AND node ->> 'type' = 'trigger.event'
      AND coalesce(node ->> 'disabled', 'false') <> 'true'`);
}

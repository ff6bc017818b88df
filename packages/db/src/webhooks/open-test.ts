import type { Actor } from '../access.js';
import type { Database } from '../client.js';
import { lockWorkflow } from '../workflows/lock.js';
import { noSuchWebhook } from './change-url.js';

/** A test URL that is open for a while. */
export interface OpenTest {
  readonly suffix: string;
  readonly until: Date;
}

/**
 * Opens a webhook's test URL. Its runs belong to the actor, who must still be an editor when they start. Opening it
 * again extends the time.
 * @throws DeckhandError NOT_FOUND for a workflow that the actor may not see and for a node without a webhook; FORBIDDEN
 * below the role editor.
 */
export function openWebhookTest(
  db: Database,
  actor: Actor,
  workflowId: string,
  { nodeId, forSeconds }: { nodeId: string; forSeconds: number },
): Promise<OpenTest> {
  return db.$transaction(async (tx) => {
    await lockWorkflow(tx, actor, workflowId, 'editor');
    const [row] = await tx.$queryRaw<OpenTest[]>`
      UPDATE webhooks
      SET test_until = now() + ${forSeconds} * interval '1 second', test_user_id = ${actor.userId}::uuid
      WHERE workflow_id = ${workflowId}::uuid AND node_id = ${nodeId}
      RETURNING suffix, test_until AS until`;
    if (!row) throw noSuchWebhook();
    return row;
  });
}

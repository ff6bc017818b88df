import { DeckhandError } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { conflictWhenTaken } from '../unique.js';
import { lockWorkflow } from '../workflows/lock.js';
import { reserveSuffixes } from './reserve-suffixes.js';
import { createSuffix } from './suffix.js';

/**
 * Gives a webhook another URL. The old one is invalid from the response on.
 * @param suffix the requested one; undefined generates one.
 * @returns the suffix.
 * @throws DeckhandError NOT_FOUND for a workflow that the actor may not see and for a node without a webhook; FORBIDDEN
 * below the role editor; CONFLICT for a suffix that is taken.
 */
export function changeWebhookUrl(
  db: Database,
  actor: Actor,
  workflowId: string,
  { nodeId, suffix = createSuffix() }: { nodeId: string; suffix?: string | undefined },
): Promise<string> {
  return db.$transaction(async (tx) => {
    const { workspaceId } = await lockWorkflow(tx, actor, workflowId, 'editor');
    const message = 'Another webhook has this URL, or one of another workspace had it';
    await reserveSuffixes(tx, workflowId, { suffixes: [suffix], message });
    const { count } = await tx.webhook
      .updateMany({ where: { workflowId, nodeId }, data: { suffix, testUntil: null, testUserId: null } })
      .catch(conflictWhenTaken(message));
    if (count === 0) throw noSuchWebhook();
    const details = { nodeId };
    await recordChange(tx, actor, { action: 'workflow.webhook-url', workspaceId, resourceId: workflowId, details });
    return suffix;
  });
}

/** Returns the error for a node without a webhook. */
export function noSuchWebhook(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'The workflow has no such webhook' });
}

import { DeckhandError } from '@deckhand/contracts';
import type { Queryable } from '../client.js';

/**
 * Reserves URL suffixes for the workspace of a workflow permanently: even after a webhook gets another URL or is
 * deleted, no other workspace can get the suffix.
 * @throws DeckhandError CONFLICT with this message when another workspace has or had one of them.
 */
export async function reserveSuffixes(
  tx: Queryable,
  workflowId: string,
  { suffixes, message }: { suffixes: readonly string[]; message: string },
): Promise<void> {
  // In ascending order, so that two transactions that reserve the same suffixes cannot deadlock. The update changes
  // nothing: it locks and returns an existing row.
  const rows = await tx.$queryRaw<{ isOwn: boolean }[]>`/* webhooks.reserve-suffixes */
    INSERT INTO webhook_suffixes (suffix, workspace_id)
    SELECT DISTINCT wanted.suffix, w.workspace_id
    FROM workflows w CROSS JOIN unnest(${[...suffixes]}::text[]) AS wanted (suffix)
    WHERE w.id = ${workflowId}::uuid
    ORDER BY 1
    ON CONFLICT (suffix) DO UPDATE SET suffix = excluded.suffix
    RETURNING workspace_id = (SELECT workspace_id FROM workflows WHERE id = ${workflowId}::uuid) AS "isOwn"`;
  if (rows.some(({ isOwn }) => !isOwn)) throw new DeckhandError('CONFLICT', { message });
}

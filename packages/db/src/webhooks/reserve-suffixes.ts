import { DeckhandError } from '@deckhand/contracts';
import type { Queryable } from '../client.js';

/**
 * Reserves URL suffixes for the workspace of a workflow, for ever: also once a webhook has another URL or is deleted,
 * nobody else is given it.
 * @throws DeckhandError CONFLICT with this message when another workspace has or had one of them.
 */
export async function reserveSuffixes(
  tx: Queryable,
  workflowId: string,
  { suffixes, message }: { suffixes: readonly string[]; message: string },
): Promise<void> {
  // By ascending suffix, so that two that reserve the same ones wait in one order. The update changes nothing: it locks
  // and returns a row that is there.
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

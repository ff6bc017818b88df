import { DeckhandError } from '@deckhand/contracts';
import { type Actor, visibleWorkspace } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { findWorkspace } from '../workspaces/read.js';

/** Withdraws an invite: its link becomes invalid. @throws DeckhandError NOT_FOUND; FORBIDDEN below the role admin. */
export function deleteInvite(db: Database, actor: Actor, workspaceId: string, id: string): Promise<void> {
  return db.$transaction(async (tx) => {
    await findWorkspace(tx, actor, workspaceId, 'admin');
    const where = { id, workspaceId, workspace: visibleWorkspace(actor, 'admin') };
    const { count } = await tx.invite.deleteMany({ where });
    if (count === 0) throw new DeckhandError('NOT_FOUND', { message: 'No such invite' });
    await recordChange(tx, actor, { action: 'invite.delete', workspaceId, resourceId: id });
  });
}

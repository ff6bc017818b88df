import { v7 as uuidv7 } from 'uuid';
import { DeckhandError, type WorkspaceEntry } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import { readInstanceSettings } from '../admin/settings.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { toWorkspaceEntry } from './list.js';

/**
 * Maximum number of workspaces that a person may own: each has limits of its own, so that many workspaces would
 * circumvent these.
 */
const MAX_OWNED = 100;

/**
 * Creates a workspace that the actor owns, with the instance's default limits. @throws DeckhandError LIMIT_REACHED for
 * a person who owns too many.
 */
export function createWorkspace(db: Database, actor: Actor, name: string): Promise<WorkspaceEntry> {
  return db.$transaction(async (tx) => {
    // One person's workspaces are created one after another.
    await tx.$queryRaw`SELECT 1 FROM users WHERE id = ${actor.userId}::uuid FOR NO KEY UPDATE`;
    if ((await tx.membership.count({ where: { userId: actor.userId, role: 'owner' } })) >= MAX_OWNED) {
      throw new DeckhandError('LIMIT_REACHED', { message: `You own ${MAX_OWNED} workspaces: delete one first` });
    }
    const { defaultExecutionsPerMinute, defaultStorageQuotaBytes } = await readInstanceSettings(tx);
    const workspace = await tx.workspace.create({
      data: {
        id: uuidv7(),
        name,
        executionsPerMinute: defaultExecutionsPerMinute,
        storageQuotaBytes: defaultStorageQuotaBytes,
        memberships: { create: { userId: actor.userId, role: 'owner' } },
      },
    });
    const { id } = workspace;
    await recordChange(tx, actor, { action: 'workspace.create', workspaceId: id, resourceId: id });
    return toWorkspaceEntry(workspace, 'owner');
  });
}

import { v7 as uuidv7 } from 'uuid';
import type { WorkspaceEntry } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import { readInstanceSettings } from '../admin/settings.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { toWorkspaceEntry } from './list.js';

/** Creates a workspace that the actor owns, with the limits that the instance gives to new ones. */
export function createWorkspace(db: Database, actor: Actor, name: string): Promise<WorkspaceEntry> {
  return db.$transaction(async (tx) => {
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

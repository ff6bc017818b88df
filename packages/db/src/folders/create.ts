import { v7 as uuidv7 } from 'uuid';
import type { CreateFolderBody, FolderEntry } from '@deckhand/contracts';
import { type Actor, requireRole } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { lockWorkspace } from '../workspaces/lock.js';
import { requireParent, toFolderEntry } from './entry.js';

/**
 * Creates a folder. @throws DeckhandError FORBIDDEN below the role editor; VALIDATION_FAILED for a parent in another
 * workspace.
 */
export function createFolder(db: Database, actor: Actor, body: CreateFolderBody): Promise<FolderEntry> {
  const { workspaceId, name, parentId = null } = body;
  return db.$transaction(async (tx) => {
    await requireRole(tx, actor, workspaceId, 'editor');
    await lockWorkspace(tx, workspaceId);
    await requireParent(tx, workspaceId, parentId);
    const row = await tx.folder.create({ data: { id: uuidv7(), workspaceId, name, parentId } });
    const details = { name, parentId };
    await recordChange(tx, actor, { action: 'folder.create', workspaceId, resourceId: row.id, details });
    return toFolderEntry(row);
  });
}

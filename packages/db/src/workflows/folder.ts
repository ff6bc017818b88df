import { validationFailed } from '@deckhand/contracts';
import type { Queryable } from '../client.js';

/** @throws DeckhandError VALIDATION_FAILED when the workspace has no such folder. Null is no folder. */
export async function requireFolder(tx: Queryable, workspaceId: string, folderId: string | null): Promise<void> {
  if (folderId === null) return;
  const folder = await tx.folder.findFirst({ where: { id: folderId, workspaceId }, select: { id: true } });
  if (!folder) throw validationFailed([{ path: 'folderId', message: 'is no folder of this workspace' }]);
}

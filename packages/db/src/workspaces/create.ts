import { v7 as uuidv7 } from 'uuid';
import type { WorkspaceEntry } from '@deckhand/contracts';
import type { Database } from '../client.js';
import { toWorkspaceEntry } from './list.js';

/** Creates a workspace that the person owns. */
export async function createWorkspace(db: Database, userId: string, name: string): Promise<WorkspaceEntry> {
  const workspace = await db.workspace.create({
    data: { id: uuidv7(), name, memberships: { create: { userId, role: 'owner' } } },
  });
  return toWorkspaceEntry(workspace, 'owner');
}

import { v7 as uuidv7 } from 'uuid';
import { type Actor, requireRole } from '../access.js';
import type { Database } from '../client.js';
import { recordChange } from '../audit/record.js';
import { insertVersion, type NewVersion } from '../versions/insert.js';
import { requireFolder } from './folder.js';

/** A workflow to create. */
export interface NewWorkflow {
  readonly workspaceId: string;
  readonly name: string;
  readonly description: string;
  readonly folderId: string | null;
  /** Its first version; null for none yet. */
  readonly version: NewVersion | null;
}

/**
 * Creates a workflow, a draft, and its first version along with it.
 * @returns its id.
 * @throws DeckhandError FORBIDDEN below the role editor; VALIDATION_FAILED for a folder of another workspace.
 */
export function createWorkflow(db: Database, actor: Actor, workflow: NewWorkflow): Promise<string> {
  const { version, ...columns } = workflow;
  return db.$transaction(async (tx) => {
    await requireRole(tx, actor, workflow.workspaceId, 'editor');
    await requireFolder(tx, workflow.workspaceId, workflow.folderId);
    const { id } = await tx.workflow.create({ data: { id: uuidv7(), ...columns }, select: { id: true } });
    if (version) await insertVersion(tx, id, version);
    await recordChange(tx, actor, { action: 'workflow.create', workspaceId: workflow.workspaceId, resourceId: id });
    return id;
  });
}

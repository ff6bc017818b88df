import { v7 as uuidv7 } from 'uuid';
import { type Actor, requireRole } from '../access.js';
import type { Database, Queryable } from '../client.js';
import { recordChange } from '../audit/record.js';
import { runAndRollBack } from '../roll-back.js';
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
  /** The workflow that it duplicates, and the version; undefined if it is no duplicate. */
  readonly duplicateOf?: { readonly workflowId: string; readonly workflowVersionId: string | null };
}

/**
 * Creates a workflow, as a draft, and its first version.
 * @returns its id.
 * @throws DeckhandError FORBIDDEN below the role editor; VALIDATION_FAILED for a folder of another workspace.
 */
export function createWorkflow(db: Database, actor: Actor, workflow: NewWorkflow): Promise<string> {
  return db.$transaction((tx) => create(tx, actor, workflow));
}

/** Checks whether a workflow could be created. @throws DeckhandError as `createWorkflow` would. */
export function tryCreatingWorkflow(db: Database, actor: Actor, workflow: NewWorkflow): Promise<void> {
  return runAndRollBack(db, (tx) => create(tx, actor, workflow));
}

async function create(tx: Queryable, actor: Actor, { version, duplicateOf, ...columns }: NewWorkflow): Promise<string> {
  const { workspaceId, folderId } = columns;
  await requireRole(tx, actor, workspaceId, 'editor');
  await requireFolder(tx, workspaceId, folderId);
  const { id } = await tx.workflow.create({ data: { id: uuidv7(), ...columns }, select: { id: true } });
  if (version) await insertVersion(tx, id, version);
  const change = { action: 'workflow.create', workspaceId, resourceId: id } as const;
  await recordChange(tx, actor, duplicateOf ? { ...change, details: { duplicateOf } } : change);
  return id;
}

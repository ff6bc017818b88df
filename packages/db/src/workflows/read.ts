import type { WorkflowEntry } from '@deckhand/contracts';
import { type Actor, visibleWorkspace } from '../access.js';
import type { Database } from '../client.js';
import { toWorkflowEntry } from './entry.js';
import { noSuchWorkflow } from './lock.js';

/** A workflow with its latest definition and its webhooks' URL suffixes. */
export interface WorkflowRecord extends WorkflowEntry {
  /** Null without a saved version. */
  readonly definition: unknown;
  readonly webhooks: readonly { readonly nodeId: string; readonly suffix: string }[];
}

/** Reads a workflow. @throws DeckhandError NOT_FOUND when the actor may not see it. */
export async function readWorkflow(db: Database, actor: Actor, id: string): Promise<WorkflowRecord> {
  const row = await db.workflow.findFirst({
    where: { id, workspace: visibleWorkspace(actor) },
    include: {
      latestVersion: { select: { definition: true } },
      webhooks: { select: { nodeId: true, suffix: true }, orderBy: { nodeId: 'asc' } },
    },
  });
  if (!row) throw noSuchWorkflow();
  return { ...toWorkflowEntry(row), definition: row.latestVersion?.definition ?? null, webhooks: row.webhooks };
}

import { DeckhandError, type Draft, type SaveDraftBody, validationFailed } from '@deckhand/contracts';
import { type Actor, type AllowedStates, changedMeanwhile, inState, visibleWorkspace } from '../access.ts';
import type { Database } from '../client.ts';
import { readPeople } from '../users.ts';
import { findWorkspaceOfWorkflow, lockWorkflow } from './lock.ts';

/** The states of a draft that a write may replace. */
interface DraftCondition {
  /** Whether there must be no draft yet. */
  readonly mustBeNew: boolean;
  /** Whether there must be one. */
  readonly mustExist: boolean;
  readonly states: AllowedStates;
}

/** What is stored of a draft, without its definition. */
export type StoredDraft = Omit<Draft, 'definition' | 'warnings'>;

/** Reads the draft of a workflow. @throws DeckhandError NOT_FOUND without one, or if the actor may not see it. */
export async function readDraft(
  db: Database,
  actor: Actor,
  workflowId: string,
): Promise<StoredDraft & { readonly definition: unknown }> {
  const row = await db.workflowDraft.findFirst({
    where: { workflowId, workflow: { workspace: visibleWorkspace(actor, 'workflows.read') } },
  });
  if (!row) {
    await findWorkspaceOfWorkflow(db, actor, workflowId);
    throw noDraft();
  }
  return { ...(await toSavedDraft(db, row)), definition: row.definition };
}

/**
 * Creates or replaces the draft of a workflow. Neither a version nor the audit log changes.
 * @throws DeckhandError NOT_FOUND when the actor may not see the workflow; FORBIDDEN without the permission;
 * VALIDATION_FAILED for a base version of another workflow; PRECONDITION_FAILED when the condition does not hold.
 */
export async function saveDraft(
  db: Database,
  actor: Actor,
  workflowId: string,
  { definition, baseVersionId = null }: SaveDraftBody,
  { mustBeNew, mustExist, states }: DraftCondition,
): Promise<StoredDraft> {
  const row = await db.$transaction(async (tx) => {
    // Two editors who write at once do so one after the other: the second one sees the draft of the first.
    await lockWorkflow(tx, actor, workflowId, 'workflows.edit');
    if (baseVersionId !== null) {
      const where = { id: baseVersionId, workflowId };
      const base = await tx.workflowVersion.findFirst({ where, select: { id: true } });
      if (!base) throw validationFailed([{ path: 'baseVersionId', message: 'is not a version of this workflow' }]);
    }
    const before = await tx.workflowDraft.findUnique({ where: { workflowId }, select: { updatedAt: true } });
    if (before ? mustBeNew : mustExist) throw new DeckhandError('PRECONDITION_FAILED');
    if (states && !states.some((state) => state.getTime() === before?.updatedAt.getTime())) {
      throw new DeckhandError('PRECONDITION_FAILED');
    }
    // The time is the tag of the draft. It ascends, so that two drafts never have the same one.
    const updatedAt = new Date(Math.max(Date.now(), (before?.updatedAt.getTime() ?? 0) + 1));
    const draft = { definition, baseVersionId, updatedBy: actor.userId, updatedAt };
    return tx.workflowDraft.upsert({
      where: { workflowId },
      create: { workflowId, ...draft },
      update: draft,
      select: { baseVersionId: true, updatedBy: true, updatedAt: true },
    });
  });
  return toSavedDraft(db, row);
}

/**
 * Deletes the draft of a workflow.
 * @throws DeckhandError NOT_FOUND without one, or if the actor may not see the workflow; FORBIDDEN without the
 * permission; PRECONDITION_FAILED when it is in none of `states`.
 */
export function deleteDraft(db: Database, actor: Actor, workflowId: string, states: AllowedStates): Promise<void> {
  return db.$transaction(async (tx) => {
    await lockWorkflow(tx, actor, workflowId, 'workflows.edit');
    const { count } = await tx.workflowDraft.deleteMany({ where: { workflowId, ...inState(states) } });
    if (count === 0) throw changedMeanwhile(states, noDraft());
  });
}

async function toSavedDraft(
  db: Database,
  row: { readonly baseVersionId: string | null; readonly updatedBy: string | null; readonly updatedAt: Date },
): Promise<StoredDraft> {
  const people = await readPeople(db, [row.updatedBy]);
  return {
    baseVersionId: row.baseVersionId,
    updatedAt: row.updatedAt.toISOString(),
    updatedBy: row.updatedBy,
    updatedByUser: people.get(row.updatedBy) ?? null,
  };
}

function noDraft(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'The workflow has no draft' });
}

import { DeckhandError } from '@deckhand/contracts';
import { type Actor, visibleWorkspace } from '../access.ts';
import type { Database } from '../client.ts';
import { findWorkspaceOfWorkflow, lockWorkflow } from './lock.ts';

/** The report of an import, with the latest definition of its workflow; null without a version. */
export interface ImportReportRecord {
  readonly importedAt: string;
  readonly report: unknown;
  readonly definition: unknown;
}

/** Reads the report of an import. @throws DeckhandError NOT_FOUND without one, or if the actor may not see it. */
export async function readImportReport(db: Database, actor: Actor, workflowId: string): Promise<ImportReportRecord> {
  const row = await db.importReport.findFirst({
    where: { workflowId, workflow: { workspace: visibleWorkspace(actor, 'workflows.read') } },
    include: { workflow: { select: { latestVersion: { select: { definition: true } } } } },
  });
  if (!row) {
    await findWorkspaceOfWorkflow(db, actor, workflowId);
    throw noReport();
  }
  const { importedAt, report, workflow } = row;
  return {
    importedAt: importedAt.toISOString(),
    report,
    definition: workflow.latestVersion?.definition ?? null,
  };
}

/**
 * Deletes the report of an import.
 * @throws DeckhandError NOT_FOUND without one, or if the actor may not see the workflow; FORBIDDEN without the
 * permission.
 */
export function deleteImportReport(db: Database, actor: Actor, workflowId: string): Promise<void> {
  return db.$transaction(async (tx) => {
    await lockWorkflow(tx, actor, workflowId, 'workflows.edit');
    const { count } = await tx.importReport.deleteMany({ where: { workflowId } });
    if (count === 0) throw noReport();
  });
}

function noReport(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'The workflow has no report of an import' });
}

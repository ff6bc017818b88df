import type { Page, PageOf, VersionEntry } from '@deckhand/contracts';
import { type Actor, visibleWorkspace } from '../access.ts';
import type { Database } from '../client.ts';
import type { ChosenVersion } from '../executions/start/start-request.ts';
import type { WorkflowVersion } from '../generated/client.ts';
import { pageRange, toPage } from '../paging.ts';
import { readPeople } from '../users.ts';
import { findWorkspaceOfWorkflow, noSuchWorkflow, type Place, workspaceOf } from '../workflows/lock.ts';

const ENTRY = { id: true, number: true, comment: true, createdBy: true, createdAt: true } as const;

/**
 * Lists the versions of a workflow, the newest first. @throws DeckhandError NOT_FOUND when the actor may not see it.
 */
export async function listVersions(
  db: Database,
  actor: Actor,
  workflowId: string,
  page: Page,
): Promise<PageOf<VersionEntry>> {
  const where = { workflowId, workflow: { workspace: visibleWorkspace(actor, 'workflows.read') } };
  const rows = await db.workflowVersion.findMany({
    where,
    select: ENTRY,
    orderBy: { number: 'desc' },
    ...pageRange(page),
  });
  if (rows.length === 0) await findWorkspaceOfWorkflow(db, actor, workflowId);
  const people = await readPeople(
    db,
    rows.map(({ createdBy }) => createdBy),
  );
  return toPage(
    page,
    rows,
    (row) => toVersionEntry(row, people),
    () => db.workflowVersion.count({ where }),
  );
}

/** Reads a version with its definition. @throws DeckhandError NOT_FOUND when the actor may not see it. */
export async function readVersion(
  db: Database,
  actor: Actor,
  workflowId: string,
  versionId: string,
): Promise<VersionEntry & { readonly definition: unknown }> {
  const row = await db.workflowVersion.findFirst({
    where: { id: versionId, workflowId, workflow: { workspace: visibleWorkspace(actor, 'workflows.read') } },
    select: { ...ENTRY, definition: true },
  });
  if (!row) throw noSuchWorkflow();
  const people = await readPeople(db, [row.createdBy]);
  return { ...toVersionEntry(row, people), definition: row.definition };
}

/** Reads the version that a choice stands for now. Undefined if the actor may see no such version. */
export async function readChosenVersion(
  db: Database,
  actor: Actor,
  workflowId: string,
  { versionId, isActiveVersion = false }: ChosenVersion,
): Promise<{ readonly id: string; readonly definition: unknown } | undefined> {
  const workflow = await db.workflow.findFirst({
    where: { id: workflowId, workspace: visibleWorkspace(actor, 'workflows.read') },
    select: { latestVersionId: true, activeVersionId: true },
  });
  const id = versionId ?? (isActiveVersion ? workflow?.activeVersionId : workflow?.latestVersionId);
  if (!workflow || id === null || id === undefined) return undefined;
  const row = await db.workflowVersion.findFirst({
    where: { id, workflowId },
    select: { id: true, definition: true },
  });
  return row ?? undefined;
}

/** Returns the workflows of the given versions, by the versions' ids, of those in the workspace of a place. */
export async function findVersions(
  db: Database,
  actor: Actor,
  place: Place,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.workflowVersion.findMany({
    where: { id: { in: [...ids] }, workflow: { workspace: workspaceOf(place, actor) } },
    select: { id: true, workflowId: true },
  });
  return new Map(rows.map(({ id, workflowId }) => [id, workflowId]));
}

/**
 * Reads a version's definition without an access check, which the caller has made. Undefined once its workflow is
 * deleted.
 */
export async function readDefinition(db: Database, versionId: string): Promise<unknown> {
  const row = await db.workflowVersion.findUnique({ where: { id: versionId }, select: { definition: true } });
  return row?.definition;
}

function toVersionEntry(
  row: Pick<WorkflowVersion, keyof typeof ENTRY>,
  people: Awaited<ReturnType<typeof readPeople>>,
): VersionEntry {
  return {
    workflowVersionId: row.id,
    number: row.number,
    comment: row.comment,
    createdBy: row.createdBy,
    createdByUser: people.get(row.createdBy) ?? null,
    createdAt: row.createdAt.toISOString(),
  };
}

import { v7 as uuidv7 } from 'uuid';
import {
  DeckhandError,
  type KeptImportReport,
  type ListWorkflowsQuery,
  NO_ERROR_WORKFLOW,
  NO_FOLDER,
  type PageOf,
  type UpdateWorkflowBody,
  validationFailed,
  type WorkflowEntry,
  type WorkflowSchedule,
} from '@deckhand/contracts';
import { type Actor, type AllowedStates, requirePermission, visibleWorkspace } from '../access.ts';
import { recordChange } from '../audit/record.ts';
import type { Database, Prisma, Queryable } from '../client.ts';
import { syncWorkflowLimit } from '../concurrency/count-slots.ts';
import { stopExecutionsOfWorkflow } from '../executions/end/stop-many.ts';
import type { OnStopped } from '../executions/end/stop.ts';
import type { Schedule, Workflow } from '../generated/client.ts';
import { pageRange, toPage } from '../paging.ts';
import { runAndRollBack } from '../roll-back.ts';
import { letterSpellings } from '../search/letter-forms.ts';
import { conflictWhenTaken } from '../unique.ts';
import { syncEventTriggers } from '../events-in/sync-triggers.ts';
import { type FirstDue, syncSchedules } from '../schedules/sync.ts';
import { insertVersion, type NewVersion } from '../versions/save.ts';
import { moveWebhookUrls } from '../webhooks/urls.ts';
import { recordActivation } from './activations.ts';
import { type LockedWorkflow, lockWorkflow, noSuchWorkflow } from './lock.ts';

/**
 * Lists the workflows of a workspace, in the order of the query. @throws DeckhandError FORBIDDEN for no member;
 * WORKSPACE_MISMATCH.
 */
export async function listWorkflows(
  db: Database,
  actor: Actor,
  query: ListWorkflowsQuery,
): Promise<PageOf<WorkflowEntry>> {
  await requirePermission(db, actor, query.workspaceId, 'workflows.read');
  const where: Prisma.WorkflowWhereInput = {
    workspace: { AND: [{ id: query.workspaceId }, visibleWorkspace(actor, 'workflows.read')] },
    ...(query.status === undefined ? {} : { status: query.status }),
    ...(await inFolder(db, query)),
    ...(query.search === undefined
      ? {}
      : { OR: letterSpellings(query.search).flatMap((text) => [{ name: like(text) }, { description: like(text) }]) }),
  };
  const rows = await db.workflow.findMany({
    where,
    orderBy: [{ [query.sortBy]: query.sortOrder }, { id: query.sortOrder }],
    ...pageRange(query),
  });
  return toPage(query, rows, toWorkflowEntry, () => db.workflow.count({ where }));
}

/** Prisma does not escape the pattern characters of LIKE in a person's input. */
function like(text: string) {
  return { contains: text.replaceAll(/[\\%_]/g, '\\$&'), mode: 'insensitive' } as const;
}

/** A workflow with its latest definition, its webhooks' URL suffixes and the schedules of its active version. */
export interface WorkflowRecord extends WorkflowEntry {
  /** Null without a draft. */
  readonly draftUpdatedAt: string | null;
  readonly hasImportReport: boolean;
  /** Null without a saved version. */
  readonly definition: unknown;
  readonly webhooks: readonly { readonly nodeId: string; readonly suffix: string }[];
  readonly schedules: readonly WorkflowSchedule[];
}

/** Reads a workflow. @throws DeckhandError NOT_FOUND when the actor may not see it. */
export async function readWorkflow(db: Queryable, actor: Actor, id: string): Promise<WorkflowRecord> {
  const row = await db.workflow.findFirst({
    where: { id, workspace: visibleWorkspace(actor, 'workflows.read') },
    include: {
      latestVersion: { select: { definition: true } },
      draft: { select: { updatedAt: true } },
      importReport: { select: { workflowId: true } },
      webhooks: { select: { nodeId: true, suffix: true }, orderBy: { nodeId: 'asc' } },
      schedules: { orderBy: { nodeId: 'asc' } },
    },
  });
  if (!row) throw noSuchWorkflow();
  return {
    ...toWorkflowEntry(row),
    draftUpdatedAt: row.draft?.updatedAt.toISOString() ?? null,
    hasImportReport: row.importReport !== null,
    definition: row.latestVersion?.definition ?? null,
    webhooks: row.webhooks,
    schedules: row.schedules.map(toWorkflowSchedule),
  };
}

/** Returns a schedule as responses show it. */
export function toWorkflowSchedule(row: Schedule): WorkflowSchedule {
  const { nodeId, cron, timezone, catchUp, lastExecutionId, blockedBy } = row;
  return {
    nodeId,
    cron,
    timezone,
    catchUp,
    nextFireAt: row.nextFireAt?.toISOString() ?? null,
    lastFireAt: row.lastFireAt?.toISOString() ?? null,
    lastExecutionId,
    blockedBy,
    pausedAt: row.pausedAt?.toISOString() ?? null,
  };
}

/** The message of a slug that another workflow of the workspace has. */
export const SLUG_TAKEN = 'Another workflow of the workspace has this slug';

/** A workflow to create. */
export interface NewWorkflow {
  readonly workspaceId: string;
  readonly name: string;
  readonly description: string;
  readonly folderId: string | null;
  /** Its first version; null for none yet. */
  readonly version: NewVersion | null;
  readonly slug?: string | undefined;
  /** What is kept of the import that it comes from. */
  readonly importReport?: KeptImportReport;
  /** The workflow that it duplicates, and the version; undefined if it is not a duplicate. */
  readonly duplicateOf?: { readonly workflowId: string; readonly workflowVersionId: string | null };
}

/**
 * Creates a workflow, as a draft, and its first version.
 * @returns its id.
 * @throws DeckhandError FORBIDDEN without the permission; VALIDATION_FAILED for a folder of another workspace; CONFLICT
 * for a slug of another workflow.
 */
export function createWorkflow(db: Database, actor: Actor, workflow: NewWorkflow): Promise<string> {
  return db.$transaction((tx) => insertWorkflow(tx, actor, workflow)).catch(conflictWhenTaken(SLUG_TAKEN));
}

/** Checks whether a workflow could be created. @throws DeckhandError as `createWorkflow` would. */
export function tryCreatingWorkflow(db: Database, actor: Actor, workflow: NewWorkflow): Promise<void> {
  return runAndRollBack(db, (tx) => insertWorkflow(tx, actor, workflow)).catch(conflictWhenTaken(SLUG_TAKEN));
}

/** Creates a workflow in a transaction. @throws DeckhandError as `createWorkflow` does. */
export async function insertWorkflow(
  tx: Queryable,
  actor: Actor,
  { version, duplicateOf, importReport, ...columns }: NewWorkflow,
): Promise<string> {
  const { workspaceId, folderId } = columns;
  await requirePermission(tx, actor, workspaceId, 'workflows.edit');
  await requireFolder(tx, workspaceId, folderId);
  const { id } = await tx.workflow.create({ data: { id: uuidv7(), ...columns }, select: { id: true } });
  if (version) await insertVersion(tx, id, version);
  if (importReport) await tx.importReport.create({ data: { workflowId: id, report: importReport } });
  const change = { action: 'workflow.create', workspaceId, resourceId: id } as const;
  await recordChange(tx, actor, duplicateOf ? { ...change, details: { duplicateOf } } : change);
  return id;
}

/**
 * Changes a workflow. Activating it without a version activates the latest one. Its schedules, event triggers and limit
 * of concurrent runs follow its status and its active version, and every change of these is recorded in the audit log.
 * @throws DeckhandError NOT_FOUND; FORBIDDEN without the permission; NO_ACTIVE_VERSION when it is activated and has no
 * version; VALIDATION_FAILED for a folder or a version that does not belong to it, and for an error workflow of another
 * workspace; PRECONDITION_FAILED when it is in none of `states`; CONFLICT for a slug of another one.
 */
export function updateWorkflow(
  db: Database,
  actor: Actor,
  id: string,
  changes: UpdateWorkflowBody,
  firstDue: FirstDue,
  states?: AllowedStates,
): Promise<void> {
  return db
    .$transaction(async (tx) => {
      // Whoever only publishes changes the status and the active version.
      const isEdit = Object.keys(changes).some((name) => name !== 'status' && name !== 'activeVersionId');
      const workflow = await lockWorkflow(tx, actor, id, isEdit ? 'workflows.edit' : 'workflows.publish');
      if (!isInState(workflow, states)) throw new DeckhandError('PRECONDITION_FAILED');
      await changeLocked(tx, actor, workflow, changes, firstDue);
    })
    .catch(conflictWhenTaken(SLUG_TAKEN));
}

/** Changes a workflow that the transaction has locked. @throws DeckhandError as `updateWorkflow` does. */
export async function changeLocked(
  tx: Queryable,
  actor: Actor,
  workflow: LockedWorkflow,
  changes: UpdateWorkflowBody,
  firstDue: FirstDue,
): Promise<void> {
  const { id, workspaceId } = workflow;
  if (isPublication(workflow, changes)) await requirePermission(tx, actor, workspaceId, 'workflows.publish');
  if (changes.folderId !== undefined) await requireFolder(tx, workspaceId, changes.folderId);
  const activeVersionId = await nextActiveVersion(tx, workflow, changes);
  const { errorWorkflowId, ...columns } = changes;
  const errorColumns = await toErrorColumns(tx, workspaceId, errorWorkflowId);
  await tx.workflow.update({ where: { id }, data: { ...columns, ...errorColumns, activeVersionId } });
  if (changes.status !== undefined || changes.activeVersionId !== undefined) {
    const to = { status: changes.status ?? workflow.status, activeVersionId };
    await moveWebhookUrls(tx, id, {
      from: urlVersionOf(workflow, workflow),
      to: urlVersionOf(workflow, to),
      isActivated: to.status === 'active',
    });
    await syncSchedules(tx, { id, ...to }, firstDue);
    await syncEventTriggers(tx, { id, ...to });
    await syncWorkflowLimit(tx, id);
    await recordActivation(tx, actor, { id, workspaceId, from: workflow, to });
  }
  await recordChange(tx, actor, {
    action: 'workflow.update',
    workspaceId,
    resourceId: id,
    details: { changed: Object.keys(changes) },
  });
}

/**
 * Returns whether a change decides what runs by triggers: with the status of a new workflow, nothing is published. What
 * runs when an active workflow fails, and by which name callers start it, is a part of that.
 */
function isPublication({ status }: LockedWorkflow, changes: UpdateWorkflowBody): boolean {
  const isMoved = changes.status !== undefined && (changes.status !== status || changes.status === 'active');
  const isRouted = status === 'active' && (changes.slug !== undefined || changes.errorWorkflowId !== undefined);
  return isMoved || isRouted || changes.activeVersionId !== undefined;
}

/** Returns the version whose paths the URLs of webhooks have: the active one of an active workflow, or the latest. */
function urlVersionOf(
  { latestVersionId }: LockedWorkflow,
  { status, activeVersionId }: Pick<LockedWorkflow, 'status' | 'activeVersionId'>,
): string | null {
  return status === 'active' ? activeVersionId : latestVersionId;
}

async function toErrorColumns(tx: Queryable, workspaceId: string, given: UpdateWorkflowBody['errorWorkflowId']) {
  if (given === undefined) return {};
  if (given === NO_ERROR_WORKFLOW) return { errorWorkflowId: null, hasErrorWorkflow: false };
  return { errorWorkflowId: await requireErrorWorkflow(tx, workspaceId, given), hasErrorWorkflow: true };
}

/**
 * Returns the id of a workflow to start when runs fail. It may be deleted later: the failed run then says so.
 * @throws DeckhandError VALIDATION_FAILED when the workspace has no such workflow. Null is none.
 */
export async function requireErrorWorkflow(
  tx: Queryable,
  workspaceId: string,
  id: string | null,
): Promise<string | null> {
  if (id === null) return null;
  const workflow = await tx.workflow.findFirst({ where: { id, workspaceId }, select: { id: true } });
  if (!workflow) throw validationFailed([{ path: 'errorWorkflowId', message: 'is not a workflow of this workspace' }]);
  return workflow.id;
}

/** Returns whether a locked workflow is in one of the states. */
export function isInState({ updatedAt }: LockedWorkflow, states: AllowedStates): boolean {
  return states === undefined || states.some((state) => state.getTime() === updatedAt.getTime());
}

async function nextActiveVersion(
  tx: Queryable,
  workflow: LockedWorkflow,
  changes: UpdateWorkflowBody,
): Promise<string | null> {
  if (changes.activeVersionId !== undefined) {
    await requireVersion(tx, workflow.id, changes.activeVersionId);
    return changes.activeVersionId.toLowerCase();
  }
  if (changes.status !== 'active') return workflow.activeVersionId;
  if (workflow.latestVersionId === null) throw new DeckhandError('NO_ACTIVE_VERSION');
  return workflow.latestVersionId;
}

async function requireVersion(tx: Queryable, workflowId: string, id: string): Promise<void> {
  const version = await tx.workflowVersion.findFirst({ where: { id, workflowId }, select: { id: true } });
  if (!version) throw validationFailed([{ path: 'activeVersionId', message: 'is not a version of this workflow' }]);
}

/**
 * Stops a workflow's runs and their descendants, and deletes it with its versions. The runs can still be read.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN without the permission; PRECONDITION_FAILED
 * when it is in none of `states`.
 */
export async function deleteWorkflow(
  db: Database,
  actor: Actor,
  id: string,
  onStopped: OnStopped,
  states?: AllowedStates,
): Promise<void> {
  const before = await db.$transaction((tx) => lockToDelete(tx, actor, id));
  // Before its runs are stopped: a request that is refused stops none.
  if (!isInState(before, states)) throw new DeckhandError('PRECONDITION_FAILED');
  await stopExecutionsOfWorkflow(db, id, onStopped);
  await db.$transaction(async (tx) => {
    const workflow = await lockToDelete(tx, actor, id);
    // Again, under the lock of the deletion: somebody may have changed it while its runs were stopped.
    if (!isInState(workflow, states)) throw new DeckhandError('PRECONDITION_FAILED');
    const { workspaceId } = workflow;
    await tx.workflow.delete({ where: { id } });
    await tx.webhookDelivery.deleteMany({ where: { workflowId: id } });
    await recordChange(tx, actor, { action: 'workflow.delete', workspaceId, resourceId: id });
  });
  // A run that was being accepted while the workflow was deleted.
  await stopExecutionsOfWorkflow(db, id, onStopped);
}

/** Locks a workflow to delete it: an active one is also withdrawn from its callers. */
async function lockToDelete(tx: Queryable, actor: Actor, id: string): Promise<LockedWorkflow> {
  const workflow = await lockWorkflow(tx, actor, id, 'workflows.edit');
  if (workflow.status === 'active') await requirePermission(tx, actor, workflow.workspaceId, 'workflows.publish');
  return workflow;
}

/** The data of a workflow that a duplicate needs. */
export interface Original {
  readonly workspaceId: string;
  readonly folderId: string | null;
  readonly name: string;
  readonly description: string;
  /** Null if no version was ever saved. */
  readonly version: { readonly id: string; readonly number: number; readonly definition: unknown } | null;
}

/**
 * Reads a workflow for its duplicate. @param versionId undefined takes the latest version. @throws DeckhandError
 * NOT_FOUND when the actor may not see it; VALIDATION_FAILED for a version of another workflow.
 */
export async function readToDuplicate(
  db: Database,
  actor: Actor,
  id: string,
  versionId: string | undefined,
): Promise<Original> {
  const row = await db.workflow.findFirst({
    where: { id, workspace: visibleWorkspace(actor, 'workflows.read') },
    select: { workspaceId: true, folderId: true, name: true, description: true, latestVersionId: true },
  });
  if (!row) throw noSuchWorkflow();
  const { latestVersionId, ...columns } = row;
  const wanted = versionId ?? latestVersionId;
  if (wanted === null) return { ...columns, version: null };
  const version = await db.workflowVersion.findFirst({
    where: { id: wanted, workflowId: id },
    select: { id: true, number: true, definition: true },
  });
  if (!version) throw validationFailed([{ path: 'versionId', message: 'is not a version of this workflow' }]);
  return { ...columns, version };
}

/**
 * Limits a list of workflows to a folder, optionally with its subfolders. A folder of another workspace contains
 * nothing. The root with its subfolders contains all workflows.
 */
async function inFolder(
  db: Queryable,
  { workspaceId, folderId, includeInnerFolders }: ListWorkflowsQuery,
): Promise<Prisma.WorkflowWhereInput> {
  if (folderId === undefined) return {};
  if (folderId === NO_FOLDER) return includeInnerFolders ? {} : { folderId: null };
  return { folderId: includeInnerFolders ? { in: await withInner(db, workspaceId, folderId) } : folderId };
}

/** Returns the ids of a folder and its subfolders. The index on parent_id serves each step down. */
async function withInner(db: Queryable, workspaceId: string, folderId: string): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH RECURSIVE inner_folders AS (
      SELECT id FROM folders WHERE id = ${folderId}::uuid AND workspace_id = ${workspaceId}::uuid
      UNION
      SELECT f.id FROM folders f JOIN inner_folders i ON f.parent_id = i.id
    )
    SELECT id FROM inner_folders`;
  return rows.map(({ id }) => id);
}

/** @throws DeckhandError VALIDATION_FAILED when the workspace has no such folder. Null is not a folder. */
async function requireFolder(tx: Queryable, workspaceId: string, folderId: string | null): Promise<void> {
  if (folderId === null) return;
  const folder = await tx.folder.findFirst({ where: { id: folderId, workspaceId }, select: { id: true } });
  if (!folder) throw validationFailed([{ path: 'folderId', message: 'is not a folder of this workspace' }]);
}

/** Converts a workflow to its entry in lists, without its definition. */
export function toWorkflowEntry(row: Workflow): WorkflowEntry {
  return {
    id: row.id,
    workspaceId: row.workspaceId,
    name: row.name,
    description: row.description,
    status: row.status,
    folderId: row.folderId,
    slug: row.slug,
    managed: row.managed,
    latestVersionId: row.latestVersionId,
    activeVersionId: row.activeVersionId,
    errorWorkflowId: row.hasErrorWorkflow ? row.errorWorkflowId : NO_ERROR_WORKFLOW,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

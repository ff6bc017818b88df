import { DeckhandError, isJsonObject, type UpdateWorkflowBody } from '@deckhand/contracts';
import { type Actor, type AllowedStates, memberMay, requirePermission } from '../access.ts';
import { recordChange } from '../audit/record.ts';
import type { Database, Queryable } from '../client.ts';
import { markRequest } from '../idempotency/requests.ts';
import { runAndRollBack } from '../roll-back.ts';
import type { FirstDue } from '../schedules/sync.ts';
import { conflictWhenTaken } from '../unique.ts';
import { insertVersion, type NewVersion } from '../versions/save.ts';
import { type LockedWorkflow, lockWorkflow } from './lock.ts';
import {
  changeLocked,
  insertWorkflow,
  isInState,
  readWorkflow,
  SLUG_TAKEN,
  toWorkflowEntry,
  type WorkflowRecord,
} from './workflows.ts';

/** The state that a workflow is to have, whichever it has now. */
export interface WantedWorkflow {
  readonly workspaceId: string;
  readonly slug: string;
  readonly name: string;
  /** What is undefined stays as it is. */
  readonly changes: Omit<UpdateWorkflowBody, 'name' | 'slug' | 'activeVersionId'>;
  /** Null if the definition stays as it is. */
  readonly version: NewVersion | null;
}

/** Whether a workflow has to exist: without a state it must not, otherwise it has to be in one of them. */
export type Precondition = { readonly kind: 'new' } | { readonly kind: 'existing'; readonly states: AllowedStates };

interface Applied {
  readonly id: string;
  readonly isNew: boolean;
  /** Null if the latest version was the same. */
  readonly savedVersionId: string | null;
}

/** A workflow as it was applied, before anybody else could change it. */
export interface AppliedWorkflow extends Pick<Applied, 'isNew' | 'savedVersionId'> {
  readonly workflow: WorkflowRecord;
}

/**
 * Creates or changes a workflow, with its definition and its activation, in one transaction. A definition that differs
 * from the latest version becomes a version; one that is applied as active becomes the active version. What the
 * workflow has already is not written.
 * @throws DeckhandError PRECONDITION_FAILED when it is in another state, or does not exist; CONFLICT when it exists and
 * must not; the errors of `createWorkflow`, `saveVersion` and `updateWorkflow`.
 */
export function applyWorkflow(
  db: Database,
  actor: Actor,
  wanted: WantedWorkflow,
  precondition: Precondition,
  firstDue: FirstDue,
): Promise<AppliedWorkflow> {
  return db
    .$transaction(async (tx) => {
      const { id, isNew, savedVersionId } = await apply(tx, actor, wanted, precondition, firstDue);
      return { workflow: await readWorkflow(tx, actor, id), isNew, savedVersionId };
    })
    .catch(conflictWhenTaken(SLUG_TAKEN));
}

/** Checks whether a workflow could be applied. @throws DeckhandError as `applyWorkflow` would. */
export function tryApplyingWorkflow(
  db: Database,
  actor: Actor,
  wanted: WantedWorkflow,
  precondition: Precondition,
  firstDue: FirstDue,
): Promise<void> {
  return runAndRollBack(db, (tx) => apply(tx, actor, wanted, precondition, firstDue)).catch(
    conflictWhenTaken(SLUG_TAKEN),
  );
}

/**
 * Returns the ids of the workflows with a slug that the actor may see: at most one of each workspace.
 * @param workspaceId undefined for all workspaces of the actor.
 */
export async function findWorkflowsBySlug(
  db: Database,
  { userId, boundTo }: Actor,
  slug: string,
  workspaceId?: string,
): Promise<string[]> {
  // Served by the indexes on the members of workspaces, and on workspace and slug.
  const rows = await db.$queryRaw<{ id: string }[]>`/* workflows.find-by-slug */
    SELECT w.id FROM memberships m JOIN workflows w ON w.workspace_id = m.workspace_id AND w.slug = ${slug}
    WHERE m.user_id = ${userId}::uuid AND ${memberMay('workflows.read')}
      AND (${boundTo}::uuid IS NULL OR m.workspace_id = ${boundTo}::uuid)
      AND (${workspaceId ?? null}::uuid IS NULL OR m.workspace_id = ${workspaceId ?? null}::uuid)`;
  return rows.map(({ id }) => id);
}

async function apply(
  tx: Queryable,
  actor: Actor,
  wanted: WantedWorkflow,
  precondition: Precondition,
  firstDue: FirstDue,
): Promise<Applied> {
  const { workspaceId, slug, name, changes, version } = wanted;
  await requirePermission(tx, actor, workspaceId, 'workflows.edit');
  const found = await tx.workflow.findFirst({ where: { workspaceId, slug }, select: { id: true } });
  if (precondition.kind === 'new') {
    if (found) throw new DeckhandError('CONFLICT', { message: SLUG_TAKEN });
    const { description = '', folderId = null, ...rest } = changes;
    // Two that create it at once: the unique index refuses the second.
    const id = await insertWorkflow(tx, actor, { workspaceId, slug, name, description, folderId, version });
    const created = await tx.workflow.findUniqueOrThrow({ where: { id } });
    // Nobody else sees it yet, so it needs no lock.
    if (Object.keys(rest).length > 0) await changeLocked(tx, actor, created, rest, firstDue);
    return { id, isNew: true, savedVersionId: created.latestVersionId };
  }
  if (!found) throw new DeckhandError('PRECONDITION_FAILED', { message: 'There is no workflow with this slug' });
  const { id } = found;
  const workflow = await lockWorkflow(tx, actor, id, 'workflows.edit');
  // Checked under the lock: somebody may have changed it, or given its slug to another one, since it was found.
  const current = await tx.workflow.findUnique({ where: { id, slug } });
  if (!current || !isInState(workflow, precondition.states)) throw new DeckhandError('PRECONDITION_FAILED');
  const savedVersionId = version && (await saveUnlessSame(tx, actor, workflow, version));
  const latestVersionId = savedVersionId ?? workflow.latestVersionId;
  const { status, ...columns } = changes;
  const isActivated = status === 'active' && workflow.activeVersionId !== latestVersionId;
  const transition = status !== undefined && (status !== workflow.status || isActivated) ? { status } : {};
  const changed = { ...changedOnly({ name, ...columns }, toWorkflowEntry(current)), ...transition };
  if (Object.keys(changed).length > 0) {
    await changeLocked(tx, actor, { ...workflow, latestVersionId }, changed, firstDue);
  } else if (savedVersionId === null && actor.requestToken !== undefined) {
    // No change marks it, and its response is for members of the workspace only.
    await markRequest(tx, actor.requestToken, { workspaceId, resourceId: id });
  }
  return { id, isNew: false, savedVersionId };
}

/** Returns those of the wanted values that are not the current ones. */
function changedOnly<T extends object>(wanted: T, current: Readonly<Record<keyof T, unknown>>): Partial<T> {
  const changed: Partial<T> = {};
  for (const name in wanted) {
    if (wanted[name] !== current[name]) changed[name] = wanted[name];
  }
  return changed;
}

/** Saves a version unless it is the latest one. @returns its id; null if it is the same. */
async function saveUnlessSame(
  tx: Queryable,
  actor: Actor,
  { id, workspaceId, latestVersionId }: LockedWorkflow,
  version: NewVersion,
): Promise<string | null> {
  const latest =
    latestVersionId === null
      ? null
      : await tx.workflowVersion.findUnique({ where: { id: latestVersionId }, select: { definition: true } });
  // A secret that is sent counts as a change: nobody compares it with the one that is there.
  if (version.secrets.areKept && isSameDefinition(latest?.definition, version.definition)) return null;
  const { workflowVersionId, number } = await insertVersion(tx, id, version);
  const details = { workflowVersionId, number };
  await recordChange(tx, actor, { action: 'workflow.save', workspaceId, resourceId: id, details });
  return workflowVersionId;
}

/**
 * Returns whether two definitions are the same. The order of members counts in parameters, where it can change what a
 * node returns, and not in the definition, its nodes and its edges.
 */
function isSameDefinition(a: unknown, b: unknown, depth = 2): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    const others: readonly unknown[] = b;
    return a.length === b.length && a.every((item: unknown, index) => isSameDefinition(item, others[index], depth));
  }
  if (depth === 0 || !isJsonObject(a) || !isJsonObject(b)) return JSON.stringify(a) === JSON.stringify(b);
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => isSameDefinition(a[name], b[name], depth - 1));
}

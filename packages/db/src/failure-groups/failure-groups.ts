import {
  DeckhandError,
  type FailureGroup,
  type FailureGroupState,
  type ListFailureGroupsQuery,
  type PageOf,
} from '@deckhand/contracts';
import { type Actor, requirePermission, visibleWorkspace } from '../access.ts';
import { recordChange } from '../audit/record.ts';
import { type Database, Prisma, type Queryable } from '../client.ts';
import type { FailureGroup as GroupRow, FailureGroupVersion as VersionRow } from '../generated/client.ts';
import { pageRange, toPage } from '../paging.ts';

const WITH_VERSIONS = {
  versions: { orderBy: [{ lastSeenAt: 'desc' }, { workflowVersionId: 'desc' }] },
} satisfies Prisma.FailureGroupInclude;

type Row = GroupRow & { readonly versions: readonly VersionRow[] };

/**
 * Lists the failure groups of a workspace, the latest failure first.
 * @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH.
 */
export async function listFailureGroups(
  db: Database,
  actor: Actor,
  query: ListFailureGroupsQuery,
): Promise<PageOf<FailureGroup>> {
  const { workspaceId, state, workflowId } = query;
  await requirePermission(db, actor, workspaceId, 'runs.read');
  const where = {
    workspaceId,
    ...(state && { state }),
    ...(workflowId !== undefined && { versions: { some: { workflowId } } }),
  };
  const rows = await db.failureGroup.findMany({
    where,
    include: WITH_VERSIONS,
    orderBy: [{ lastSeenAt: 'desc' }, { id: 'desc' }],
    ...pageRange(query),
  });
  const names = await readNames(db, rows);
  return toPage(
    query,
    rows,
    (row) => toGroup(row, names),
    () => db.failureGroup.count({ where }),
  );
}

/** Reads a failure group. @throws DeckhandError NOT_FOUND when the actor may not see it. */
export async function readFailureGroup(db: Queryable, actor: Actor, id: string): Promise<FailureGroup> {
  const row = await findVisible(db, actor, id);
  return toGroup(row, await readNames(db, [row]));
}

/** A group and its workspace have no relation, so the visible workspaces are read first. */
async function findVisible(db: Queryable, actor: Actor, id: string): Promise<Row> {
  const workspaces = await db.workspace.findMany({ where: visibleWorkspace(actor, 'runs.read'), select: { id: true } });
  const row = await db.failureGroup.findFirst({
    where: { id, workspaceId: { in: workspaces.map((workspace) => workspace.id) } },
    include: WITH_VERSIONS,
  });
  if (!row) throw new DeckhandError('NOT_FOUND', { message: 'There is no such failure group' });
  return row;
}

/**
 * Changes the state of a failure group, and records that in the audit log. The state that it has changes nothing.
 *
 * Race: a failure that is added meanwhile waits for the row, and opens a resolved group only if it happened later.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN without the permission.
 */
export function updateFailureGroup(
  db: Database,
  actor: Actor,
  id: string,
  state: FailureGroupState,
): Promise<FailureGroup> {
  return db.$transaction(async (tx) => {
    const { workspaceId } = await findVisible(tx, actor, id);
    await requirePermission(tx, actor, workspaceId, 'runs.control');
    const changed = await tx.$executeRaw(Prisma.sql`/* failure-groups.change-state */
      UPDATE failure_groups SET state = ${state}::failure_group_state, state_changed_at = now()
      WHERE id = ${id}::uuid AND workspace_id = ${workspaceId}::uuid AND state <> ${state}::failure_group_state`);
    if (changed > 0) {
      await recordChange(tx, actor, {
        action: 'failureGroup.update',
        workspaceId,
        resourceId: id,
        details: { state },
      });
    }
    return readFailureGroup(tx, actor, id);
  });
}

/** The names of workflows and the numbers of versions, by their ids. */
interface Names {
  readonly workflows: ReadonlyMap<string, string>;
  readonly versions: ReadonlyMap<string, number>;
}

async function readNames(db: Queryable, rows: readonly Row[]): Promise<Names> {
  const versions = rows.flatMap((row) => row.versions);
  const workflowIds = [...new Set(versions.map(({ workflowId }) => workflowId))];
  const versionIds = [...new Set(versions.map(({ workflowVersionId }) => workflowVersionId))];
  const [named, numbered] = await Promise.all([
    db.workflow.findMany({ where: { id: { in: workflowIds } }, select: { id: true, name: true } }),
    db.workflowVersion.findMany({ where: { id: { in: versionIds } }, select: { id: true, number: true } }),
  ]);
  return {
    workflows: new Map(named.map(({ id, name }) => [id, name])),
    versions: new Map(numbered.map(({ id, number }) => [id, number])),
  };
}

function toGroup(row: Row, names: Names): FailureGroup {
  return {
    id: row.id,
    workspaceId: row.workspaceId,
    state: row.state,
    stateChangedAt: row.stateChangedAt?.toISOString() ?? null,
    nodeType: row.nodeType,
    code: row.code,
    message: row.message,
    ...toCounts(row),
    lastExecutionId: row.lastExecutionId,
    workflows: [...Map.groupBy(row.versions, ({ workflowId }) => workflowId)].map(([workflowId, versions]) => ({
      workflowId,
      workflowName: names.workflows.get(workflowId) ?? null,
      versions: versions.map((version) => ({
        workflowVersionId: version.workflowVersionId,
        number: names.versions.get(version.workflowVersionId) ?? null,
        ...toCounts(version),
      })),
    })),
  };
}

function toCounts({ runCount, firstSeenAt, lastSeenAt }: Pick<GroupRow, 'runCount' | 'firstSeenAt' | 'lastSeenAt'>) {
  return { count: Number(runCount), firstSeenAt: firstSeenAt.toISOString(), lastSeenAt: lastSeenAt.toISOString() };
}

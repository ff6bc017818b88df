import {
  BULK_ACTION_PERMISSIONS,
  BULK_RERUN_VERSIONS,
  type BulkAction,
  type BulkActionError,
  type BulkFilter,
  type CreateBulkActionBody,
  DeckhandError,
  type ExecutionFilter,
  type ExecutionStatus,
  FINISHED_STATUSES,
  type ListBulkActionsQuery,
  MAX_BULK_RUNS,
  type PageOf,
  parseOwnJson,
  type Person,
  toDate,
  UNFINISHED_STATUSES,
  validationFailed,
} from '@deckhand/contracts';
import { v7 as uuidv7 } from 'uuid';
import { type Actor, requirePermission, visibleWorkspace } from '../access.ts';
import { recordChange } from '../audit/record.ts';
import { type Database, Prisma, type Queryable } from '../client.ts';
import { findRunIds } from '../executions/read/list.ts';
import type { BulkAction as Row } from '../generated/client.ts';
import { pageRange, toPage } from '../paging.ts';
import { readPeople } from '../users.ts';

/** Maximum number of running bulk actions of a workspace. */
const MAX_RUNNING = 5;

/** The statuses of runs that an action is for. */
const STATUSES: Record<CreateBulkActionBody['action'], readonly ExecutionStatus[]> = {
  stop: UNFINISHED_STATUSES,
  rerun: FINISHED_STATUSES,
  delete: FINISHED_STATUSES,
};

/**
 * Finds the runs that a request for a bulk action means now. @returns their ids.
 * @throws DeckhandError FORBIDDEN without the permission; WORKSPACE_MISMATCH; VALIDATION_FAILED if a filter matches too
 * many runs.
 */
export async function findBulkRuns(db: Database, actor: Actor, body: CreateBulkActionBody): Promise<string[]> {
  await requirePermission(db, actor, body.workspaceId, BULK_ACTION_PERMISSIONS[body.action]);
  if (body.executionIds) return [...new Set(body.executionIds.map((id) => id.toLowerCase()))];
  const filter = toFilter(body.workspaceId, body.filter ?? {}, STATUSES[body.action]);
  if (filter === undefined) return [];
  const ids = await findRunIds(db, filter, MAX_BULK_RUNS + 1);
  if (ids.length > MAX_BULK_RUNS) {
    throw validationFailed([{ path: 'filter', message: `matches more than ${MAX_BULK_RUNS} runs` }]);
  }
  return ids;
}

/** Returns the filter, limited to statuses; undefined if it can match no run. */
function toFilter(
  workspaceId: string,
  { status, executionMode, source, tag, ...filter }: BulkFilter,
  allowed: readonly ExecutionStatus[],
): ExecutionFilter | undefined {
  const statuses = status === undefined ? [...allowed] : [status].flat().filter((one) => allowed.includes(one));
  if (statuses.length === 0) return undefined;
  return {
    ...filter,
    workspaceId,
    status: statuses,
    ...(executionMode !== undefined && { executionMode: [executionMode].flat() }),
    ...(tag !== undefined && { tag: [tag].flat() }),
    ...(source !== undefined && { source: [source].flat() }),
  };
}

/**
 * Starts a bulk action on given runs of a workspace, and records that in the audit log. Which runs it acts on never
 * changes afterwards.
 * @throws DeckhandError FORBIDDEN without the permission for the action; WORKSPACE_MISMATCH; LIMIT_REACHED.
 */
export function createBulkAction(
  db: Database,
  actor: Actor,
  body: CreateBulkActionBody,
  executionIds: readonly string[],
): Promise<BulkAction> {
  const { workspaceId, action, ratePerSecond } = body;
  const filter = body.filter ? JSON.stringify(body.filter, withFullTimes) : null;
  const isRerun = action === 'rerun';
  return db.$transaction(async (tx) => {
    await requirePermission(tx, actor, workspaceId, BULK_ACTION_PERMISSIONS[action]);
    // The bulk actions of a workspace are created one after another.
    await tx.$queryRaw(Prisma.sql`SELECT 1 FROM workspaces WHERE id = ${workspaceId}::uuid FOR NO KEY UPDATE`);
    if ((await tx.bulkAction.count({ where: { workspaceId, status: 'running' } })) >= MAX_RUNNING) {
      throw new DeckhandError('LIMIT_REACHED', { message: `The workspace has ${MAX_RUNNING} running bulk actions` });
    }
    const isEmpty = executionIds.length === 0;
    const created = await tx.bulkAction.create({
      data: {
        id: uuidv7(),
        workspaceId,
        kind: action,
        status: isEmpty ? 'finished' : 'running',
        filter,
        version: isRerun ? (body.version ?? 'latest') : null,
        fromFailedNode: body.from === 'failedNode',
        ratePerSecond: ratePerSecond ?? null,
        total: executionIds.length,
        createdBy: actor.userId,
        apiKeyId: actor.origin?.().apiKeyId ?? null,
        finishedAt: isEmpty ? new Date() : null,
      },
    });
    await tx.$executeRaw`/* bulk-actions.add-runs */
      INSERT INTO bulk_action_runs (action_id, execution_id)
      SELECT ${created.id}::uuid, id FROM unnest(${[...executionIds]}::uuid[]) AS id ORDER BY id`;
    await recordChange(tx, actor, {
      action: 'bulkAction.create',
      workspaceId,
      resourceId: created.id,
      details: { action, runs: executionIds.length, filter },
    });
    return toBulkAction(created, (await readPeople(tx, [actor.userId])).get(actor.userId) ?? null);
  });
}

/** Replaces short forms of times, which requests may have and responses never do. */
function withFullTimes(name: string, value: unknown): unknown {
  return ['gte', 'gt', 'lte', 'lt'].includes(name) && typeof value === 'string' ? toDate(value).toISOString() : value;
}

/**
 * Lists the bulk actions of a workspace, the latest first. @throws DeckhandError FORBIDDEN for no member;
 * WORKSPACE_MISMATCH.
 */
export async function listBulkActions(
  db: Database,
  actor: Actor,
  query: ListBulkActionsQuery,
): Promise<PageOf<BulkAction>> {
  const { workspaceId, status } = query;
  await requirePermission(db, actor, workspaceId, 'runs.read');
  const where = { workspaceId, ...(status && { status }) };
  const rows = await db.bulkAction.findMany({ where, orderBy: { id: 'desc' }, ...pageRange(query) });
  const people = await readPeople(
    db,
    rows.map(({ createdBy }) => createdBy),
  );
  return toPage(
    query,
    rows,
    (row) => toBulkAction(row, people.get(row.createdBy) ?? null),
    () => db.bulkAction.count({ where }),
  );
}

/** Reads a bulk action. @throws DeckhandError NOT_FOUND when the actor may not see it. */
export async function readBulkAction(db: Queryable, actor: Actor, id: string): Promise<BulkAction> {
  const row = await db.bulkAction.findFirst({
    where: {
      id,
      workspace: visibleWorkspace(actor, 'runs.read'),
    },
  });
  if (!row) throw new DeckhandError('NOT_FOUND', { message: 'There is no such bulk action' });
  return toBulkAction(row, (await readPeople(db, [row.createdBy])).get(row.createdBy) ?? null);
}

/**
 * Aborts a running bulk action: no run is acted on afterwards. Aborting it again changes nothing.
 *
 * Race: a batch in progress. It holds the lock of the row, so this waits until the batch is committed.
 * @throws DeckhandError NOT_FOUND; FORBIDDEN without the permission; INVALID_STATE if it has finished or failed.
 */
export function abortBulkAction(db: Database, actor: Actor, id: string): Promise<BulkAction> {
  return db.$transaction(async (tx) => {
    const { workspaceId } = await readBulkAction(tx, actor, id);
    await requirePermission(tx, actor, workspaceId, 'runs.control');
    await tx.$queryRaw(Prisma.sql`SELECT 1 FROM bulk_actions WHERE id = ${id}::uuid FOR UPDATE`);
    const current = await readBulkAction(tx, actor, id);
    if (current.status === 'aborted') return current;
    if (current.status !== 'running') {
      throw new DeckhandError('INVALID_STATE', { message: `The bulk action is not running (${current.status})` });
    }
    await endBulkAction(tx, id, 'aborted');
    await recordChange(tx, actor, { action: 'bulkAction.abort', workspaceId, resourceId: id });
    return readBulkAction(tx, actor, id);
  });
}

/** Ends a running bulk action whose row this transaction has locked, before all of its runs are settled. */
export async function endBulkAction(tx: Queryable, id: string, status: 'aborted' | 'failed'): Promise<void> {
  await tx.$executeRaw(Prisma.sql`/* bulk-actions.forget-runs */
    DELETE FROM bulk_action_runs WHERE action_id = ${id}::uuid`);
  await tx.$executeRaw(Prisma.sql`/* bulk-actions.end */
    UPDATE bulk_actions SET status = ${status}::bulk_action_status, finished_at = now(), blocked_by = NULL
    WHERE id = ${id}::uuid`);
}

/** How long a bulk action is kept after its end. */
const KEPT = Prisma.sql`interval '30 days'`;

/** Deletes bulk actions that ended long ago. @returns how many. */
export function pruneBulkActions(db: Database, limit: number): Promise<number> {
  return db.$executeRaw(Prisma.sql`/* bulk-actions.prune */
    DELETE FROM bulk_actions WHERE id IN (
      SELECT id FROM bulk_actions WHERE finished_at < now() - ${KEPT} AND finished_at IS NOT NULL
      ORDER BY finished_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`);
}

function toRerunVersion(stored: string | null): BulkAction['version'] {
  return BULK_RERUN_VERSIONS.find((version) => version === stored) ?? 'latest';
}

function toBulkAction(row: Row, createdByUser: Person | null): BulkAction {
  const isRerun = row.kind === 'rerun';
  return {
    id: row.id,
    workspaceId: row.workspaceId,
    action: row.kind,
    status: row.status,
    filter: row.filter === null ? null : parseOwnJson<BulkFilter>(row.filter),
    version: isRerun ? toRerunVersion(row.version) : null,
    from: isRerun ? (row.fromFailedNode ? 'failedNode' : 'start') : null,
    ratePerSecond: row.ratePerSecond,
    total: row.total,
    done: row.done,
    failed: row.failed,
    skipped: row.skipped,
    errors: parseOwnJson<BulkActionError[]>(row.errors),
    blockedBy: row.blockedBy,
    createdAt: row.createdAt.toISOString(),
    createdBy: row.createdBy,
    createdByUser,
    finishedAt: row.finishedAt?.toISOString() ?? null,
  };
}

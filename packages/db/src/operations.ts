import { v7 as uuidv7 } from 'uuid';
import type { ExecutionStatus, JsonValue } from '@deckhand/contracts';
import { type Database, Prisma } from './client.ts';
import type { DispatchedExecution } from './executions/claim/reconcile.ts';
import type { ReleasedExecution } from './executions/claim/release.ts';
import { DISPATCHED, IS_HELD, IS_UNCLAIMED, isUnfinished, RELEASE, RELEASED } from './executions/run-status.ts';
import { stopWhere } from './executions/end/stop-many.ts';
import type { OnStopped } from './executions/end/stop.ts';
import { LOCK_FREE_RUNS } from './lock-order.ts';

/** An operator's filter for runs of the whole instance; a member that is left out does not limit it. */
export interface OperatorFilter {
  readonly executionIds?: readonly string[] | undefined;
  readonly workspaceId?: string | undefined;
  readonly workflowId?: string | undefined;
  readonly statuses?: readonly ExecutionStatus[] | undefined;
  /** Bounds of the time when the run was created, inclusive. */
  readonly createdFrom?: Date | undefined;
  readonly createdTo?: Date | undefined;
}

/** Returns an operator's filter as a condition on the run `e`. */
function operatorConditions(filter: OperatorFilter): Prisma.Sql {
  const { executionIds, workspaceId, workflowId, statuses, createdFrom, createdTo } = filter;
  const parts = [Prisma.sql`TRUE`];
  if (executionIds !== undefined) parts.push(Prisma.sql`e.id = ANY(${[...executionIds]}::uuid[])`);
  if (workspaceId !== undefined) parts.push(Prisma.sql`e.workspace_id = ${workspaceId}::uuid`);
  if (workflowId !== undefined) parts.push(Prisma.sql`e.workflow_id = ${workflowId}::uuid`);
  if (statuses !== undefined) parts.push(Prisma.sql`e.status = ANY(${[...statuses]}::execution_status[])`);
  if (createdFrom !== undefined) parts.push(Prisma.sql`e.created_at >= ${createdFrom}::timestamptz`);
  if (createdTo !== undefined) parts.push(Prisma.sql`e.created_at <= ${createdTo}::timestamptz`);
  return Prisma.join(parts, ' AND ');
}

/** A run as it is shown to an operator. */
export interface RunSummary {
  readonly executionId: string;
  readonly workspaceName: string;
  readonly workflowName: string;
  readonly status: ExecutionStatus;
  readonly createdAt: Date;
}

/** Describes runs in the order of the given ids; deleted ones are left out. */
export async function describeRuns(db: Database, executionIds: readonly string[]): Promise<RunSummary[]> {
  return db.$queryRaw<RunSummary[]>(Prisma.sql`
    SELECT e.id AS "executionId", s.name AS "workspaceName", w.name AS "workflowName", e.status::text AS status,
      e.created_at AS "createdAt"
    FROM unnest(${[...executionIds]}::uuid[]) WITH ORDINALITY AS given(id, place)
    JOIN executions e ON e.id = given.id JOIN workflows w ON w.id = e.workflow_id JOIN workspaces s ON s.id = e.workspace_id
    ORDER BY given.place`);
}

/** Counts the unfinished runs of each worker, live or not; workers without any are left out. */
export async function countRunsByWorker(db: Database): Promise<ReadonlyMap<string, number>> {
  // Served by executions_held, which contains only runs that a worker holds.
  const rows = await db.$queryRaw<{ workerId: string; runs: number }[]>`
    SELECT e.worker_id AS "workerId", count(*)::int AS runs FROM executions e WHERE ${IS_HELD} GROUP BY e.worker_id`;
  return new Map(rows.map(({ workerId, runs }) => [workerId, runs]));
}

/** The number of unfinished runs that match. */
export interface UnfinishedRuns {
  readonly total: number;
  /** Ids of the oldest few. */
  readonly examples: readonly string[];
}

/**
 * Counts the unfinished runs that match, and returns the ids of the oldest few. Its cost depends on the number of
 * unfinished runs only.
 */
export async function findUnfinished(
  db: Database,
  filter: OperatorFilter,
  options: { readonly examples: number },
): Promise<UnfinishedRuns> {
  const [row] = await db.$queryRaw<{ total: number; examples: string[] | null }[]>(Prisma.sql`
    SELECT count(*)::int AS total, (array_agg(e.id ORDER BY e.id))[1:${options.examples}::int]::text[] AS examples
    FROM executions e
    WHERE ${operatorConditions(filter)}
      AND ${isUnfinished()}`);
  return { total: row?.total ?? 0, examples: row?.examples ?? [] };
}

/**
 * Finds a page of the runs that match and whose current dispatch is unclaimed, in the order of their ids. The queue
 * knows whether their jobs are lost. Runs that were dispatched after `dispatchedBefore` are left out: their jobs may be
 * on their way.
 */
export function findUnclaimedRuns(
  db: Database,
  filter: OperatorFilter,
  page: { readonly dispatchedBefore: Date; readonly afterId: string | undefined; readonly limit: number },
): Promise<DispatchedExecution[]> {
  return db.$queryRaw<DispatchedExecution[]>(Prisma.sql`
    SELECT ${DISPATCHED} FROM executions e
    WHERE ${operatorConditions(filter)}
      AND ${IS_UNCLAIMED}
      AND e.dispatched_at < ${page.dispatchedBefore}::timestamptz
      AND e.id > ${page.afterId ?? '00000000-0000-0000-0000-000000000000'}::uuid
    ORDER BY e.id LIMIT ${page.limit}`);
}

/** Counts the runs that match and that the given workers hold, and returns the ids of the oldest few. */
export async function findHeldRuns(
  db: Database,
  filter: OperatorFilter,
  options: { readonly workerIds: readonly string[]; readonly examples: number },
): Promise<{ readonly total: number; readonly examples: readonly string[] }> {
  const [row] = await db.$queryRaw<{ total: number; examples: string[] | null }[]>(Prisma.sql`
    SELECT count(*)::int AS total, (array_agg(e.id ORDER BY e.id))[1:${options.examples}::int]::text[] AS examples
    FROM executions e
    WHERE ${operatorConditions(filter)}
      AND e.worker_id = ANY(${[...options.workerIds]}::uuid[]) AND ${IS_HELD}`);
  return { total: row?.total ?? 0, examples: row?.examples ?? [] };
}

/**
 * Takes matching runs from dead workers, as maintenance does: running ones are dispatched again, paused ones rest. A
 * run that another process has taken in the meantime is not changed. May be repeated, and run twice at the same time.
 */
export function requeueHeldRuns(
  db: Database,
  filter: OperatorFilter,
  options: { readonly workerIds: readonly string[]; readonly limit: number },
): Promise<ReleasedExecution[]> {
  const workerIds = [...options.workerIds];
  return db.$queryRaw<ReleasedExecution[]>(Prisma.sql`
    UPDATE executions e
    SET ${RELEASE}
    WHERE e.id IN (
      SELECT e.id FROM executions e
      WHERE ${operatorConditions(filter)} AND e.worker_id = ANY(${workerIds}::uuid[]) AND ${IS_HELD}
      ${LOCK_FREE_RUNS} LIMIT ${options.limit})
    RETURNING ${RELEASED}`);
}

/**
 * Stops the unfinished runs that match, in all workspaces, and their descendants, as when a person stops them.
 * @param onStopped called with each batch, so that workers are notified while the rest is stopped.
 * @returns how many were stopped, descendants included.
 */
export function stopRuns(db: Database, filter: OperatorFilter, onStopped: OnStopped): Promise<number> {
  return stopWhere(db, operatorConditions(filter), onStopped);
}

/** An operation for the audit log. The person is unknown, so the entry says `operator` and the host. */
export interface Operation {
  readonly action: `${string}.${string}`;
  readonly details: Readonly<Record<string, JsonValue>>;
  /** Name of the machine where the command ran. */
  readonly host: string;
}

/** Records in the audit log of each workspace how many of its runs an operator changed. */
export async function recordOperation(
  db: Database,
  { action, details, host }: Operation,
  executionIds: readonly string[],
): Promise<void> {
  const counts = await db.$queryRaw<{ workspaceId: string; runs: number }[]>(Prisma.sql`
    SELECT workspace_id AS "workspaceId", count(*)::int AS runs FROM executions
    WHERE id = ANY(${[...executionIds]}::uuid[]) GROUP BY workspace_id`);
  await db.auditEntry.createMany({
    data: counts.map(({ workspaceId, runs }) => ({
      id: uuidv7(),
      workspaceId,
      action,
      resourceType: action.slice(0, action.indexOf('.')),
      resourceId: '',
      details: { ...details, by: 'operator', host, runs },
    })),
  });
}

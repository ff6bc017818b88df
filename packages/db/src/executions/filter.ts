import { type ExecutionFilter, type TimeRange, toDate } from '@deckhand/contracts';
import { Prisma, type Queryable } from '../client.js';

/** A filter that names workflows by their ids alone. */
export type ResolvedFilter = Omit<ExecutionFilter, 'workflowName'> & {
  readonly workflowName?: undefined;
  /** Ids of the workflows with the name in the filter. */
  readonly workflowIds?: readonly string[];
};

/**
 * Looks up the workflows with the name in a filter. The planner knows how many runs a given workflow has, but not how
 * many those of a subquery have: it would read a whole workspace for a rare name.
 */
export async function resolveFilter<F extends ExecutionFilter>(
  db: Queryable,
  { workflowName, ...filter }: F,
): Promise<Omit<F, 'workflowName'> & Pick<ResolvedFilter, 'workflowName' | 'workflowIds'>> {
  if (workflowName === undefined) return filter;
  const where = { workspaceId: filter.workspaceId, name: workflowName };
  const workflows = await db.workflow.findMany({ where, select: { id: true } });
  return { ...filter, workflowIds: workflows.map(({ id }) => id) };
}

/** Returns the condition on the run `e` of an actor and a filter, without the text searches. */
export function filterConditions(filter: ResolvedFilter): Prisma.Sql {
  const { workspaceId, workflowId, workflowIds, status, executionMode, source, startedAt } = filter;
  const { rerunOf, parentExecutionId } = filter;
  const parts = [Prisma.sql`e.workspace_id = ${workspaceId}::uuid`];
  if (workflowId !== undefined) parts.push(Prisma.sql`e.workflow_id = ${workflowId}::uuid`);
  if (workflowIds !== undefined) parts.push(isAnyOf(Prisma.sql`e.workflow_id`, workflowIds));
  if (status !== undefined) parts.push(hasValueOf(Prisma.sql`e.status`, status));
  if (executionMode !== undefined) parts.push(hasValueOf(Prisma.sql`e.execution_mode`, executionMode));
  if (source !== undefined) parts.push(hasValueOf(Prisma.sql`e.source`, source));
  // Served by executions_reruns and executions_parent.
  if (rerunOf !== undefined) parts.push(Prisma.sql`e.rerun_of = ${rerunOf}::uuid`);
  if (parentExecutionId !== undefined) parts.push(Prisma.sql`e.parent_execution_id = ${parentExecutionId}::uuid`);
  return Prisma.join([...parts, ...withinRange(BEGAN_AT, startedAt ?? {})], ' AND ');
}

function isAnyOf(column: Prisma.Sql, ids: readonly string[]): Prisma.Sql {
  const values = ids.map((id) => Prisma.sql`${id}::uuid`);
  return values.length === 0 ? Prisma.sql`false` : Prisma.sql`${column} IN (${Prisma.join(values)})`;
}

/** Enum values as literals: the planner compares them with the predicates of partial indexes. */
function hasValueOf(column: Prisma.Sql, values: readonly string[]): Prisma.Sql {
  return Prisma.sql`${column} IN (${Prisma.raw(values.map((value) => `'${value}'`).join(', '))})`;
}

/**
 * When the run `e` started or, if it never did, was created. Lists filter and sort by it. Served by the indexes
 * executions_in_workspace, executions_of_workflow and executions_with_status, which have the same expression.
 */
export const BEGAN_AT = Prisma.sql`coalesce(e.started_at, e.created_at)`;

/** Returns the conditions that a time of the run `e` is within bounds. */
function withinRange(time: Prisma.Sql, { gte, gt, lte, lt }: TimeRange): Prisma.Sql[] {
  const parts: Prisma.Sql[] = [];
  if (gte !== undefined) parts.push(Prisma.sql`${time} >= ${toDate(gte)}::timestamptz`);
  if (gt !== undefined) parts.push(Prisma.sql`${time} > ${toDate(gt)}::timestamptz`);
  if (lte !== undefined) parts.push(Prisma.sql`${time} <= ${toDate(lte)}::timestamptz`);
  if (lt !== undefined) parts.push(Prisma.sql`${time} < ${toDate(lt)}::timestamptz`);
  return parts;
}

/** The columns of the orders. */
export const SORT_COLUMNS = {
  startedAt: BEGAN_AT,
  createdAt: Prisma.sql`e.created_at`,
  finishedAt: Prisma.sql`e.finished_at`,
} as const;

/** The order of a list; each has an index. Descending by `finishedAt`, unfinished runs come first. */
export function sortOrder({ sortBy, sortOrder: order }: ExecutionOrder): Prisma.Sql {
  const column = SORT_COLUMNS[sortBy];
  return order === 'asc' ? Prisma.sql`${column}, e.id` : Prisma.sql`${column} DESC, e.id DESC`;
}

/** The order of a list of runs. */
export interface ExecutionOrder {
  readonly sortBy: keyof typeof SORT_COLUMNS;
  readonly sortOrder: 'asc' | 'desc';
  /** The run after which the list continues; undefined for the start. */
  readonly after?: RunPosition | undefined;
}

/** The position of a run in an order. */
export interface RunPosition {
  /** The time of the order; null for an unfinished run in the order by `finishedAt`. */
  readonly at: Date | null;
  readonly id: string;
}

/** Returns the condition that the run `e` comes after a position and matches a filter. */
export function listConditions(request: ResolvedFilter & ExecutionOrder): Prisma.Sql {
  return Prisma.sql`${filterConditions(request)} AND ${isAfter(request)}`;
}

/** Served by the index of the order: rows are compared in its columns. */
export function isAfter({ sortBy, sortOrder: order, after }: ExecutionOrder): Prisma.Sql {
  if (after === undefined) return Prisma.sql`true`;
  const { at, id } = after;
  const column = SORT_COLUMNS[sortBy];
  // Descending, runs without a time come first; ascending, last.
  if (at === null) {
    return order === 'asc'
      ? Prisma.sql`(${column} IS NULL AND e.id > ${id}::uuid)`
      : Prisma.sql`(${column} IS NOT NULL OR e.id < ${id}::uuid)`;
  }
  if (order === 'desc') return Prisma.sql`(${column}, e.id) < (${at}::timestamptz, ${id}::uuid)`;
  const isLater = Prisma.sql`(${column}, e.id) > (${at}::timestamptz, ${id}::uuid)`;
  return sortBy === 'finishedAt' ? Prisma.sql`(${isLater} OR ${column} IS NULL)` : isLater;
}

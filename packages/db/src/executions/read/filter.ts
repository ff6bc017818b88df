import { type ExecutionFilter, type TimeRange, toDate } from '@deckhand/contracts';
import { Prisma, type Queryable } from '../../client.ts';

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

/** How a statement has its values: as they are, or so that the planner does not see them. */
type ToValue = (value: Prisma.Sql) => Prisma.Sql;
const seen: ToValue = (value) => value;
const unseen: ToValue = (value) => Prisma.sql`(SELECT ${value})`;

/** Returns the condition on the run `e` of an actor and a filter, without the text searches. */
export function filterConditions(filter: ResolvedFilter, toValue = seen): Prisma.Sql {
  const { workspaceId, workflowId, workflowIds, status, executionMode, source, startedAt } = filter;
  const { rerunOf, parentExecutionId, failureGroup, tag, metadata, minDurationMs, maxDurationMs } = filter;
  const parts = [Prisma.sql`e.workspace_id = ${toValue(Prisma.sql`${workspaceId}::uuid`)}`];
  if (workflowId !== undefined) parts.push(Prisma.sql`e.workflow_id = ${toValue(Prisma.sql`${workflowId}::uuid`)}`);
  if (workflowIds !== undefined) parts.push(isAnyOf(Prisma.sql`e.workflow_id`, workflowIds));
  if (status !== undefined) parts.push(hasValueOf(Prisma.sql`e.status`, status));
  if (executionMode !== undefined) parts.push(hasValueOf(Prisma.sql`e.execution_mode`, executionMode));
  if (source !== undefined) parts.push(hasValueOf(Prisma.sql`e.source`, source));
  // Served by executions_reruns and executions_parent.
  if (rerunOf !== undefined) parts.push(Prisma.sql`e.rerun_of = ${rerunOf}::uuid`);
  if (parentExecutionId !== undefined) parts.push(Prisma.sql`e.parent_execution_id = ${parentExecutionId}::uuid`);
  // Served by execution_texts_failure_group.
  if (failureGroup !== undefined) {
    parts.push(
      Prisma.sql`e.id IN (SELECT t.execution_id FROM execution_texts t WHERE t.failure_group_id = ${failureGroup}::uuid)`,
    );
  }
  if (tag !== undefined) parts.push(hasTags(tag));
  if (metadata !== undefined) parts.push(hasMetadata(metadata));
  if (minDurationMs !== undefined) parts.push(Prisma.sql`${DURATION} >= ${milliseconds(minDurationMs)}`);
  if (maxDurationMs !== undefined) parts.push(Prisma.sql`${DURATION} <= ${milliseconds(maxDurationMs)}`);
  return Prisma.join([...parts, ...withinRange(BEGAN_AT, startedAt ?? {})], ' AND ');
}

function isAnyOf(column: Prisma.Sql, ids: readonly string[]): Prisma.Sql {
  const values = ids.map((id) => Prisma.sql`${id}::uuid`);
  return values.length === 0 ? Prisma.sql`false` : Prisma.sql`${column} IN (${Prisma.join(values)})`;
}

/** Enum values as literals: their frequencies are known, also to a plan for all values of the parameters. */
function hasValueOf(column: Prisma.Sql, values: readonly string[]): Prisma.Sql {
  return Prisma.sql`${column} IN (${Prisma.raw(values.map((value) => `'${value}'`).join(', '))})`;
}

/**
 * When the run `e` started or, if it never did, was created. Lists filter and sort by it. Served by the indexes
 * executions_in_workspace, executions_of_workflow and executions_with_status, which have the same expression.
 */
export const BEGAN_AT = Prisma.sql`coalesce(e.started_at, e.created_at)`;

/** How long the run `e` took, or has taken until now; null if it has not started. No index has it. */
const DURATION = Prisma.sql`coalesce(e.finished_at, now()) - e.started_at`;

function milliseconds(ms: number): Prisma.Sql {
  return Prisma.sql`${ms}::float8 * interval '1 millisecond'`;
}

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

/** Returns how positions follow each other in an order: less than 0 if the first one comes first. */
export function comparePositions({ sortOrder: order }: ExecutionOrder): (a: RunPosition, b: RunPosition) => number {
  const timeOf = ({ at }: RunPosition): number => at?.getTime() ?? Infinity;
  const ascending = (a: RunPosition, b: RunPosition): number => {
    if (timeOf(a) !== timeOf(b)) return timeOf(a) < timeOf(b) ? -1 : 1;
    return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
  };
  return order === 'asc' ? ascending : (a, b) => ascending(b, a);
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

/** A part of a statement that reads runs in the order of a list. */
interface OrderedRuns {
  /** The name with which the statement begins, as a comment; empty if it is planned for each call. */
  readonly name: Prisma.Sql;
  /** The conditions that the run `e` comes after the position and matches the filter. */
  readonly conditions: Prisma.Sql;
}

/**
 * Returns the conditions of a statement that reads runs in the order of a list. If one index has all that they compare,
 * the statement is planned once, for all values: planning it for each call would take longer than reading a page, as it
 * considers each index of each partition. Otherwise the planner sees the values, because it has to choose between the
 * index of the order and one of a value that may be rare.
 */
export function orderedRuns(name: string, request: ResolvedFilter & ExecutionOrder): OrderedRuns {
  const isOnce = isServedByIndex(request);
  const toValue = isOnce ? unseen : seen;
  return {
    name: isOnce ? Prisma.raw(`/* ${name} */`) : Prisma.empty,
    conditions: Prisma.sql`${filterConditions(request, toValue)} AND ${isAfter(request, toValue)}`,
  };
}

function isServedByIndex(request: ResolvedFilter & ExecutionOrder): boolean {
  const {
    workflowId,
    workflowIds,
    status,
    executionMode,
    source,
    startedAt,
    rerunOf,
    parentExecutionId,
    failureGroup,
  } = request;
  const others = [workflowIds, executionMode, source, startedAt, rerunOf, parentExecutionId, failureGroup];
  if (others.some((value) => value !== undefined)) return false;
  if (status === undefined && workflowId === undefined) return true;
  // The indexes with a workflow and with a status are in the order of the start.
  return request.sortBy === 'startedAt' && (status === undefined || (status.length === 1 && workflowId === undefined));
}

/** Served by the index of the order: rows are compared in its columns. */
export function isAfter({ sortBy, sortOrder: order, after }: ExecutionOrder, toValue = seen): Prisma.Sql {
  if (after === undefined) return Prisma.sql`true`;
  const [at, id] = [after.at && toValue(Prisma.sql`${after.at}::timestamptz`), toValue(Prisma.sql`${after.id}::uuid`)];
  const column = SORT_COLUMNS[sortBy];
  // Descending, runs without a time come first; ascending, last.
  if (at === null) {
    return order === 'asc'
      ? Prisma.sql`(${column} IS NULL AND e.id > ${id})`
      : Prisma.sql`(${column} IS NOT NULL OR e.id < ${id})`;
  }
  if (order === 'desc') return Prisma.sql`(${column}, e.id) < (${at}, ${id})`;
  const isLater = Prisma.sql`(${column}, e.id) > (${at}, ${id})`;
  return sortBy === 'finishedAt' ? Prisma.sql`(${isLater} OR ${column} IS NULL)` : isLater;
}

/** Returns the condition that the run `e` has each of the tags. Served by executions_tags. */
function hasTags(tags: readonly string[]): Prisma.Sql {
  return Prisma.sql`(e.tags IS NOT NULL AND e.tags @> ${[...tags]}::text[])`;
}

/** Whether responses show a number as this text, with an exponent, which PostgreSQL writes out. */
function hasExponent(text: string): boolean {
  return /^-?\d(\.\d+)?e[+-]\d+$/.test(text) && String(Number(text)) === text;
}

/**
 * Returns the condition that the metadata of the run `e` have each of the members, as texts. Served by
 * executions_metadata, which contains hashes.
 */
function hasMetadata(members: Readonly<Record<string, string>>): Prisma.Sql {
  const isMember = (
    name: string,
    text: Prisma.Sql,
    entry: Prisma.Sql,
  ): Prisma.Sql => Prisma.sql`e.metadata ->> ${name} = ${text}
      AND metadata_hashes(e.metadata) @> ARRAY[hashtextextended(${entry}, 0)]`;
  const parts = Object.entries(members).map(([name, value]) => {
    const asText = isMember(name, Prisma.sql`${value}`, Prisma.sql`${`${name}=${value}`}`);
    if (!hasExponent(value)) return asText;
    const number = Prisma.sql`(${value}::jsonb #>> '{}')`;
    return Prisma.sql`(${asText} OR ${isMember(name, number, Prisma.sql`${`${name}=`} || ${number}`)})`;
  });
  return Prisma.sql`(e.metadata IS NOT NULL AND ${Prisma.join(parts, ' AND ')})`;
}

import type { ExecutionFilter, Page } from '@deckhand/contracts';
import { type Actor, requirePermission } from '../../access.ts';
import { type Database, Prisma, type Queryable } from '../../client.ts';
import { isSearch } from '../../search/match.ts';
import { countFound, findIds } from '../../search/find.ts';
import {
  type ExecutionOrder,
  filterConditions,
  orderedRuns,
  type ResolvedFilter,
  resolveFilter,
  sortOrder,
} from './filter.ts';

/** A query for runs of a workspace: filters and order. */
export type ListExecutionsRequest = ExecutionFilter & ExecutionOrder;

/** A page of runs, by their ids. */
export interface ExecutionIdPage {
  readonly ids: readonly string[];
  readonly hasMore: boolean;
  /** Only if it was requested. */
  readonly total?: number;
}

/** Rows of the longest page, and one more that shows whether another follows. */
const PAGE_ROWS = 501;

/**
 * Finds a page of runs.
 * @param source the database that runs are read from: a replica, or `db`, which decides what the actor may see.
 * @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH.
 */
export async function listExecutionIds(
  db: Database,
  actor: Actor,
  request: ListExecutionsRequest & Page,
  source = db,
): Promise<ExecutionIdPage> {
  await requirePermission(db, actor, request.workspaceId, 'runs.read');
  const resolved = await resolveFilter(source, request);
  const range = { limit: request.limit + 1, offset: request.offset };
  const ids = isSearch(request) ? await findIds(source, resolved, range) : await listIds(source, resolved, range);
  const page = { ids: ids.slice(0, request.limit), hasMore: ids.length > request.limit };
  if (!request.includeTotal) return page;
  return { ...page, total: isSearch(request) ? await countFound(source, resolved) : await count(source, resolved) };
}

/** Finds the ids of all matching runs, up to a number, in no particular order. */
export async function findRunIds(db: Database, filter: ExecutionFilter, limit: number): Promise<string[]> {
  const resolved = await resolveFilter(db, filter);
  if (isSearch(filter)) {
    return findIds(db, { ...resolved, sortBy: 'startedAt', sortOrder: 'desc' }, { limit, offset: 0 });
  }
  const rows = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    SELECT e.id FROM executions e WHERE ${filterConditions(resolved)} LIMIT ${limit}`);
  return rows.map(({ id }) => id);
}

async function listIds(
  db: Queryable,
  request: ResolvedFilter & ExecutionOrder,
  { limit, offset }: { limit: number; offset: number },
): Promise<string[]> {
  // A plan for all limits would expect a tenth of all runs: the longest page says how few they are at most.
  const isPage = offset === 0 && limit <= PAGE_ROWS;
  const { name, conditions } = orderedRuns('executions.list', request);
  const page = Prisma.sql`SELECT e.id FROM executions e WHERE ${conditions} ORDER BY ${sortOrder(request)}`;
  const rows = await db.$queryRaw<{ id: string }[]>(
    isPage
      ? Prisma.sql`${name}
    SELECT id FROM (${page} LIMIT ${Prisma.raw(String(PAGE_ROWS))}) page LIMIT ${limit}`
      : Prisma.sql`${page} LIMIT ${limit} OFFSET ${offset}`,
  );
  return rows.map(({ id }) => id);
}

async function count(db: Queryable, filter: ResolvedFilter): Promise<number> {
  const [row] = await db.$queryRaw<{ total: number }[]>(Prisma.sql`
    SELECT count(*)::int AS total FROM executions e WHERE ${filterConditions(filter)}`);
  return row?.total ?? 0;
}

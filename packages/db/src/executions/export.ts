import { type Actor, requireRole } from '../access.js';
import { type Database, Prisma, type Queryable } from '../client.js';
import { sampleSearch } from '../search/find.js';
import { limitSession } from '../session-limits.js';
import { hitOf, isSearch, matchingIds } from '../search/match.js';
import { type ExecutionOrder, filterConditions, type ResolvedFilter, resolveFilter, sortOrder } from './filter.js';
import type { ListExecutionsRequest } from './list.js';

/** A query for the runs to export: filters and order. */
export interface ExportRequest extends ListExecutionsRequest {
  /** Runs of one batch. */
  readonly batchSize: number;
  /** Time limit of an export, in ms: it occupies a connection, and an old snapshot of the database. */
  readonly timeoutMs: number;
}

/**
 * Reads all matching runs with a database cursor, so that neither the server nor this process has all of them in
 * memory. The next batch is fetched once `onBatch` has processed the previous one; an error that it throws ends the
 * cursor.
 * @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH.
 */
export async function exportExecutionIds(
  db: Database,
  actor: Actor,
  request: ExportRequest,
  onBatch: (executionIds: readonly string[]) => Promise<void>,
): Promise<void> {
  await requireRole(db, actor, request.workspaceId, 'viewer');
  const query = await planQuery(db, await resolveFilter(db, request));
  await db.$transaction(
    async (tx) => {
      // A cursor may take long to find the next runs, and waits while the caller reads the current ones.
      await limitSession(tx, {
        statement_timeout: request.timeoutMs,
        idle_in_transaction_session_timeout: request.timeoutMs,
      });
      await openCursor(tx, query);
      for (;;) {
        const rows = await tx.$queryRaw<{ id: string }[]>(
          Prisma.sql`FETCH ${Prisma.raw(String(request.batchSize))} FROM exported`,
        );
        if (rows.length > 0) await onBatch(rows.map(({ id }) => id));
        if (rows.length < request.batchSize) return;
      }
    },
    { timeout: request.timeoutMs },
  );
}

async function planQuery(db: Database, request: ResolvedFilter & ExecutionOrder): Promise<Prisma.Sql> {
  if (!isSearch(request)) return orderedQuery(request);
  const { isFrequent, byWord } = await sampleSearch(db, request);
  return isFrequent ? orderedQuery(request) : indexedQuery(request, byWord);
}

async function openCursor(tx: Queryable, query: Prisma.Sql): Promise<void> {
  // Returning the first rows at once matters more than returning all of them soon: the order comes from an index, not
  // from a sort.
  await tx.$executeRaw`SET LOCAL cursor_tuple_fraction = 0.0001`;
  await tx.$executeRaw(Prisma.sql`DECLARE exported NO SCROLL CURSOR FOR ${query}`);
}

/** The runs of the list, in its order. */
function orderedQuery(request: ResolvedFilter & ExecutionOrder): Prisma.Sql {
  const listed = Prisma.sql`SELECT e.id FROM executions e WHERE ${filterConditions(request)} ORDER BY ${sortOrder(request)}`;
  return isSearch(request)
    ? Prisma.sql`SELECT listed.id FROM (${listed}) listed CROSS JOIN LATERAL ${hitOf(request)} looked WHERE looked.hit`
    : listed;
}

/** The runs that the trigram index finds, then sorted. */
function indexedQuery(request: ResolvedFilter & ExecutionOrder, byWord: boolean): Prisma.Sql {
  return Prisma.sql`
    SELECT e.id FROM executions e
    WHERE e.id IN (${matchingIds(request.workspaceId, request, byWord)}) AND ${filterConditions(request)}
    ORDER BY ${sortOrder(request)}`;
}

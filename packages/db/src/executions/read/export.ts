import { type Actor, requirePermission } from '../../access.ts';
import { type Database, Prisma } from '../../client.ts';
import { walk } from '../../search/find.ts';
import { isSearch } from '../../search/match.ts';
import {
  type ExecutionOrder,
  orderedRuns,
  type ResolvedFilter,
  resolveFilter,
  type RunPosition,
  SORT_COLUMNS,
  sortOrder,
} from './filter.ts';
import type { ListExecutionsRequest } from './list.ts';

/** A query for the runs to export: filters and order. */
export interface ExportRequest extends ListExecutionsRequest {
  /** Runs of one batch. */
  readonly batchSize: number;
  /** Time limit of an export, in ms. */
  readonly timeoutMs: number;
  /**
   * Reads a part from the database that it chooses, a replica or the primary. No part may be older than the one before.
   * By default, all are read from the primary.
   */
  readonly read?: (work: (source: Database) => Promise<ExportPage>) => Promise<ExportPage>;
}

/** Runs that one statement reads, and with a search, which returns few of them. */
const PAGE_SIZE = 1_000;
const SEARCHED_SIZE = 5_000;

/** A part of the list. */
interface ExportPage {
  /** Ids of the matching runs, in order. */
  readonly ids: readonly string[];
  /** Where the list continues; undefined at its end. */
  readonly end: RunPosition | undefined;
}

/**
 * Reads all matching runs part by part, each with statements of its own: however long the caller takes, no transaction
 * stays open, which would keep old rows from being vacuumed and partitions from being detached. A search reads all runs
 * in the order of the list, so its cost does not depend on what it finds. A run that begins or ends meanwhile may move
 * to a part that was already read, or be missing.
 * @throws DeckhandError FORBIDDEN for no member, or one who is removed meanwhile; WORKSPACE_MISMATCH.
 * @throws Error at the time limit, and what `onBatch` throws.
 */
export async function exportExecutionIds(
  db: Database,
  actor: Actor,
  { batchSize, timeoutMs, read = (work) => work(db), ...request }: ExportRequest,
  onBatch: (executionIds: readonly string[]) => Promise<void>,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const resolved = await resolveFilter(db, request);
  let last: ReadonlySet<string> = new Set();
  let after = request.after;
  do {
    if (performance.now() > deadline) throw new Error(`the export took longer than ${timeoutMs} ms`);
    await requirePermission(db, actor, request.workspaceId, 'runs.read');
    const part = { ...resolved, after };
    const { ids, end } = await read((source) => readPage(source, part));
    // A run that moved since the part before was read would be read twice.
    const fresh = ids.filter((id) => !last.has(id));
    for (let from = 0; from < fresh.length; from += batchSize) await onBatch(fresh.slice(from, from + batchSize));
    last = new Set(ids);
    after = end;
  } while (after !== undefined);
}

async function readPage(db: Database, request: ResolvedFilter & ExecutionOrder): Promise<ExportPage> {
  if (isSearch(request)) {
    const { hits, end } = await walk(db, request, { from: 0, length: SEARCHED_SIZE });
    return { ids: hits, end };
  }
  const { name, conditions } = orderedRuns('executions.export', request);
  const rows = await db.$queryRaw<RunPosition[]>(Prisma.sql`${name}
    SELECT e.id, ${SORT_COLUMNS[request.sortBy]} AS at FROM executions e WHERE ${conditions}
    ORDER BY ${sortOrder(request)} LIMIT ${Prisma.raw(String(PAGE_SIZE))}`);
  return { ids: rows.map(({ id }) => id), end: rows.length === PAGE_SIZE ? rows.at(-1) : undefined };
}

import type { Actor } from '../access.js';
import { type Database, Prisma } from '../client.js';
import { type ExecutionOrder, type RunPosition, SORT_COLUMNS } from './filter.js';
import { listExecutionIds, type ListExecutionsRequest } from './list.js';

/** A query for the runs to export: filters and order. */
export interface ExportRequest extends ListExecutionsRequest {
  /** Runs of one batch. */
  readonly batchSize: number;
  /** Time limit of an export, in ms. */
  readonly timeoutMs: number;
}

/** Runs of one page: a page costs several statements, the more so with a search. */
const PAGE_SIZE = 1_000;

/**
 * Reads all matching runs page by page, each with statements of its own: however long the caller takes, no transaction
 * stays open, which would keep old rows from being vacuumed and partitions from being detached. A run that begins or
 * ends meanwhile may move to a part that was already read, or be missing.
 * @throws DeckhandError FORBIDDEN for no member, or one who is removed meanwhile; WORKSPACE_MISMATCH.
 * @throws Error at the time limit, and what `onBatch` throws.
 */
export async function exportExecutionIds(
  db: Database,
  actor: Actor,
  { batchSize, timeoutMs, ...request }: ExportRequest,
  onBatch: (executionIds: readonly string[]) => Promise<void>,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const page = { limit: PAGE_SIZE, offset: 0, includeTotal: false };
  let last: ReadonlySet<string> = new Set();
  let after = request.after;
  for (;;) {
    const { ids, hasMore } = await listExecutionIds(db, actor, { ...request, ...page, after });
    const position = hasMore ? await findLastPosition(db, request, ids) : undefined;
    // A run that moved while the page was read would be read twice.
    const fresh = ids.filter((id) => !last.has(id));
    for (let from = 0; from < fresh.length; from += batchSize) await onBatch(fresh.slice(from, from + batchSize));
    if (position === undefined) return;
    if (performance.now() > deadline) throw new Error(`the export took longer than ${timeoutMs} ms`);
    last = new Set(ids);
    after = position;
  }
}

/** Returns the position of the last run of a page that still exists; undefined if none does. */
async function findLastPosition(
  db: Database,
  { sortBy }: ExecutionOrder,
  ids: readonly string[],
): Promise<RunPosition | undefined> {
  const rows = await db.$queryRaw<{ id: string; at: Date | null }[]>(Prisma.sql`
    SELECT e.id, ${SORT_COLUMNS[sortBy]} AS at FROM executions e WHERE e.id = ANY (${[...ids]}::uuid[])`);
  const found = new Map(rows.map(({ id, at }) => [id, at]));
  const id = ids.findLast((candidate) => found.has(candidate));
  return id === undefined ? undefined : { at: found.get(id) ?? null, id };
}

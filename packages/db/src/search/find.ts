import { type Database, Prisma } from '../client.ts';
import {
  comparePositions,
  type ExecutionOrder,
  filterConditions,
  isAfter,
  orderedRuns,
  type ResolvedFilter,
  type RunPosition,
  SORT_COLUMNS,
  sortOrder,
} from '../executions/read/filter.ts';
import { findMatchesAmong, matchingIds, textsOfListed } from './match.ts';
import { findParts, isInPart, type Part } from './parts.ts';

type SearchRequest = ResolvedFilter & ExecutionOrder;

/**
 * Number of runs that are read in the list's order while nothing is known about the frequency of the text: about 2 µs
 * each.
 */
const FIRST_WALK = 2_000;
/**
 * Maximum number of runs that are read before the index is queried, which takes about 10 to 60 ms for a text that is
 * not rare.
 */
const LONGEST_WALK = 24_000;
/** Share of runs up to which a word is rare enough to search for it alone. */
const RARE = 0.01;

/** A part of the list that was read. */
export interface Walk {
  /** The matching ids, in order. */
  readonly hits: readonly string[];
  readonly walked: number;
  /** Number of runs that contain at least the most selective word. */
  readonly near: number;
  /** Where the list continues; undefined at its end. */
  readonly end: RunPosition | undefined;
}

/**
 * Finds a page of the runs that contain a text. For a frequent text it reads runs in the list's order until the page is
 * full, for a rare one it uses the trigram index: each way would be slow for the other.
 */
export async function findIds(
  db: Database,
  request: SearchRequest,
  { limit, offset }: { limit: number; offset: number },
): Promise<string[]> {
  const needed = limit + offset;
  const first = await walk(db, request, { from: 0, length: FIRST_WALK });
  const page = (hits: readonly string[]): string[] => hits.slice(offset, needed);
  if (first.hits.length >= needed || first.end === undefined) return page(first.hits);
  const expected = 1.5 * FIRST_WALK * (needed / Math.max(first.hits.length, 1));
  if (expected <= LONGEST_WALK) {
    const length = Math.ceil(expected) - FIRST_WALK;
    const next = await walk(db, request, { from: FIRST_WALK, length });
    const hits = [...first.hits, ...next.hits];
    if (hits.length >= needed || next.end === undefined) return page(hits);
  }
  return page(await findByIndex(db, request, { needed, byWord: isWordRare(first) }));
}

/**
 * Finds the first runs that contain a text by the trigram index, one partition after another: those that are first in
 * the list's order come first, and the rest are not read once they cannot have an earlier run. Otherwise a text that
 * only old runs contain would have all of them read.
 */
async function findByIndex(
  db: Database,
  request: SearchRequest,
  { needed, byWord }: { needed: number; byWord: boolean },
): Promise<string[]> {
  const compare = comparePositions(request);
  let hits: RunPosition[] = [];
  for (const part of await findParts(db, request)) {
    const last = hits[needed - 1];
    if (last !== undefined && compare(last, part.first) < 0) break;
    const more = await db.$queryRaw<RunPosition[]>(Prisma.sql`${found(request, byWord, part)}
      SELECT e.id, ${SORT_COLUMNS[request.sortBy]} AS at FROM found e
      WHERE ${isAfter(request)} ORDER BY ${sortOrder(request)} LIMIT ${needed}`);
    hits = [...hits, ...more].sort(compare).slice(0, needed);
  }
  return hits.map(({ id }) => id);
}

/** Counts the runs that contain a text. */
export async function countFound(db: Database, request: SearchRequest): Promise<number> {
  const whole = { ...request, after: undefined };
  const byWord = isWordRare(await walk(db, whole, { from: 0, length: FIRST_WALK }));
  let total = 0;
  for (const part of await findParts(db, whole)) {
    const [row] = await db.$queryRaw<{ total: number }[]>(Prisma.sql`${found(request, byWord, part)}
      SELECT count(*)::int AS total FROM found`);
    total += row?.total ?? 0;
  }
  return total;
}

function isWordRare({ near, walked }: Walk): boolean {
  return near <= walked * RARE;
}

/** Reads a part of the list, and which of its runs contain a text. */
export async function walk(
  db: Database,
  request: SearchRequest,
  { from, length }: { from: number; length: number },
): Promise<Walk> {
  const { name, conditions } = orderedRuns('search.walk', request);
  const last = Prisma.raw(String(from + length));
  const [row] = await db.$queryRaw<
    {
      hits: string[] | null;
      unindexed: string[] | null;
      walked: number;
      near: number;
      lastId: string | null;
      lastAt: Date | null;
    }[]
  >(Prisma.sql`${length === FIRST_WALK ? name : Prisma.empty}
    WITH listed AS MATERIALIZED (
      SELECT e.id, ${SORT_COLUMNS[request.sortBy]} AS at, row_number() OVER (ORDER BY ${sortOrder(request)}) AS position
      FROM executions e WHERE ${conditions}
      ORDER BY ${sortOrder(request)} LIMIT ${Prisma.raw(String(length))} OFFSET ${Prisma.raw(String(from))}
    ), ${textsOfListed(request)}
    SELECT array_agg(listed.id ORDER BY listed.position) FILTER (WHERE texts.hit IS NOT false) AS hits,
      array_agg(listed.id) FILTER (WHERE texts.id IS NULL) AS unindexed,
      count(*)::int AS walked, count(*) FILTER (WHERE texts.near)::int AS near,
      (SELECT id FROM listed WHERE position = ${last}) AS "lastId", (SELECT at FROM listed WHERE position = ${last}) AS "lastAt"
    FROM listed LEFT JOIN texts ON texts.id = listed.id`);
  const unindexed = row?.unindexed ?? [];
  // A statement of its own, because planning it takes long and nearly all runs are indexed.
  const matching = new Set(await findMatchesAmong(db, request, unindexed));
  const missed = new Set(unindexed.filter((id) => !matching.has(id)));
  return {
    hits: (row?.hits ?? []).filter((id) => !missed.has(id)),
    walked: row?.walked ?? 0,
    near: row?.near ?? 0,
    end: row?.lastId ? { at: row.lastAt, id: row.lastId } : undefined,
  };
}

/**
 * Returns all runs of a partition that contain a text, as the common table expression `found`: matched by index first,
 * then each checked.
 */
function found(filter: ResolvedFilter, byWord: boolean, part: Part): Prisma.Sql {
  return Prisma.sql`
    WITH matching AS MATERIALIZED (${matchingIds(filter.workspaceId, filter, { byWord, part })}),
    found AS (
      SELECT run.* FROM matching
      CROSS JOIN LATERAL (
        SELECT e.* FROM executions e
        WHERE e.id = matching.id AND ${isInPart(Prisma.sql`e.id`, part)} AND ${filterConditions(filter)} OFFSET 0
      ) run
    )`;
}

import type { ExecutionFilter } from '@deckhand/contracts';
import { Prisma, type Queryable } from '../client.ts';
import { executionError, executionText, contains, mayContain, findMostSelectiveWord } from './execution-text.ts';
import { isOneOfRuns } from '../batch.ts';
import { isUnfinished } from '../executions/run-status.ts';
import { isInPart, type Part } from './parts.ts';

/** The texts of a search; undefined or empty means no search. */
export type Search = Pick<ExecutionFilter, 'search' | 'errorContains'>;

/** Returns true if there is a text to search for. */
export function isSearch({ search, errorContains }: Search): boolean {
  return Boolean(search) || Boolean(errorContains);
}

/** Returns the condition that a text and an error (as SQL) match the search. */
function matches({ search, errorContains }: Search, text: Prisma.Sql, error: Prisma.Sql): Prisma.Sql {
  const parts: Prisma.Sql[] = [];
  if (search) parts.push(contains(text, search));
  if (errorContains) parts.push(contains(error, errorContains));
  return Prisma.join(parts, ' AND ');
}

const TEXT = Prisma.sql`t.text`;
const ERROR = Prisma.sql`t.error`;

/**
 * Returns, as the common table expression `texts` after `listed` (id), the indexed texts of those runs, each with
 * whether it matches: `hit`, and `near` if it contains at least the most selective word. They are read by primary key
 * in the order of the ids, not one by one. Runs that are not in the index yet are missing.
 */
export function textsOfListed(wanted: Search): Prisma.Sql {
  const word = wanted.search ? findMostSelectiveWord(wanted.search) : undefined;
  return Prisma.sql`texts AS MATERIALIZED (
      SELECT t.execution_id AS id, coalesce(${matches(wanted, TEXT, ERROR)}, false) AS hit,
        ${word === undefined ? Prisma.sql`false` : contains(TEXT, word)} AS near
      FROM execution_texts t
      WHERE t.execution_id = ANY ((SELECT array_agg(id) FROM listed)::uuid[])
        AND t.execution_id BETWEEN (SELECT id FROM listed ORDER BY id LIMIT 1) AND (SELECT id FROM listed ORDER BY id DESC LIMIT 1)
    )`;
}

/** Returns which of the given runs match the search, each read itself, without an index. */
export async function findMatchesAmong(db: Queryable, wanted: Search, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    SELECT e.id FROM executions e WHERE ${isOneOfRuns(Prisma.sql`e.id`, ids)} AND ${matchesRun(wanted)}`);
  return rows.map(({ id }) => id);
}

/** Returns the condition that the run `e` itself matches the search, without an index. */
export function matchesRun(wanted: Search): Prisma.Sql {
  return Prisma.sql`coalesce(${matches(wanted, executionText, executionError)}, false)`;
}

/**
 * Returns the ids of all matching runs of a workspace in a partition, found by index; runs without an indexed text are
 * read one by one.
 * @param options.byWord queries the index for the most selective word alone, which is faster if that is rare.
 */
export function matchingIds(
  workspaceId: string,
  wanted: Search,
  { byWord, part }: { readonly byWord: boolean; readonly part: Part },
): Prisma.Sql {
  const indexed: Prisma.Sql[] = [];
  if (wanted.search)
    indexed.push(mayContain(TEXT, wanted.search, byWord ? findMostSelectiveWord(wanted.search) : undefined));
  if (wanted.errorContains) indexed.push(mayContain(ERROR, wanted.errorContains, undefined));
  const direct = matchesRun(wanted);
  const ofWorkspace = Prisma.sql`e.workspace_id = ${workspaceId}::uuid AND ${isInPart(Prisma.sql`e.id`, part)}`;
  return Prisma.sql`
    SELECT t.execution_id AS id FROM execution_texts t
    WHERE t.workspace_id = ${workspaceId}::uuid AND ${isInPart(Prisma.sql`t.execution_id`, part)}
      AND ${Prisma.join(indexed, ' AND ')} AND ${matches(wanted, TEXT, ERROR)}
    UNION ALL
    SELECT e.id FROM unindexed_executions u JOIN executions e ON e.id = u.execution_id
    WHERE ${ofWorkspace} AND ${direct}
    UNION ALL
    SELECT e.id FROM executions e
    WHERE ${ofWorkspace} AND ${direct}
      AND ${isUnfinished()}`;
}

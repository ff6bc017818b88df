import type { ExecutionFilter } from '@deckhand/contracts';
import { Prisma } from '../client.js';
import { executionError, executionText, contains, mayContain, findMostSelectiveWord } from './execution-text.js';
import { isUnfinished } from '../executions/run-status.js';

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
 * Returns, as a subquery of one row, whether the run `listed.id` matches: `hit`, and `near` if it contains at least the
 * most selective word. Its indexed text decides, or the run itself if it has none. It checks one run at a time,
 * whatever the planner expects from statistics (OFFSET 0).
 */
export function hitOf(wanted: Search): Prisma.Sql {
  const word = wanted.search ? findMostSelectiveWord(wanted.search) : undefined;
  return Prisma.sql`(
    SELECT coalesce(CASE
      WHEN t.execution_id IS NOT NULL THEN ${matches(wanted, TEXT, ERROR)}
      ELSE (SELECT ${matchesRun(wanted)} FROM executions e WHERE e.id = listed.id)
    END, false) AS hit, ${word === undefined ? Prisma.sql`false` : contains(TEXT, word)} AS near
    FROM (SELECT 1) one LEFT JOIN execution_texts t ON t.execution_id = listed.id
    OFFSET 0)`;
}

/** Returns the condition that the run `e` itself matches the search, without an index. */
export function matchesRun(wanted: Search): Prisma.Sql {
  return Prisma.sql`coalesce(${matches(wanted, executionText, executionError)}, false)`;
}

/**
 * Returns the ids of all matching runs of a workspace, found by index; runs without an indexed text are read one by
 * one. @param byWord queries the index for the most selective word alone, which is faster if that is rare.
 */
export function matchingIds(workspaceId: string, wanted: Search, byWord: boolean): Prisma.Sql {
  const indexed: Prisma.Sql[] = [];
  if (wanted.search)
    indexed.push(mayContain(TEXT, wanted.search, byWord ? findMostSelectiveWord(wanted.search) : undefined));
  if (wanted.errorContains) indexed.push(mayContain(ERROR, wanted.errorContains, undefined));
  const direct = matchesRun(wanted);
  return Prisma.sql`
    SELECT t.execution_id AS id FROM execution_texts t
    WHERE t.workspace_id = ${workspaceId}::uuid AND ${Prisma.join(indexed, ' AND ')} AND ${matches(wanted, TEXT, ERROR)}
    UNION ALL
    SELECT e.id FROM unindexed_executions u JOIN executions e ON e.id = u.execution_id
    WHERE e.workspace_id = ${workspaceId}::uuid AND ${direct}
    UNION ALL
    SELECT e.id FROM executions e
    WHERE e.workspace_id = ${workspaceId}::uuid AND ${direct}
      AND ${isUnfinished()}`;
}

import type { ExecutionFilter } from '@deckhand/contracts';
import { Prisma } from '../client.js';
import { executionError, executionText, holds, mayHold, tellingWord } from './execution-text.js';
import { isUnfinished } from '../executions/run-status.js';

/** What a search looks for; nothing where it is undefined or empty. */
export type Search = Pick<ExecutionFilter, 'search' | 'errorContains'>;

/** Whether there is anything to look for. */
export function isSearch({ search, errorContains }: Search): boolean {
  return Boolean(search) || Boolean(errorContains);
}

/** The condition that a text and an error (as SQL) hold what is looked for. */
function matches({ search, errorContains }: Search, text: Prisma.Sql, error: Prisma.Sql): Prisma.Sql {
  const parts: Prisma.Sql[] = [];
  if (search) parts.push(holds(text, search));
  if (errorContains) parts.push(holds(error, errorContains));
  return Prisma.join(parts, ' AND ');
}

const TEXT = Prisma.sql`t.text`;
const ERROR = Prisma.sql`t.error`;

/**
 * Whether the run `listed.id` matches, as a subquery of one row: `hit`, and `near` when it holds at least the telling
 * word. Its indexed text decides, and without one the run itself. It looks at one run at a time, whatever the planner
 * thinks of the texts' statistics (OFFSET 0).
 */
export function hitOf(wanted: Search): Prisma.Sql {
  const word = wanted.search ? tellingWord(wanted.search) : undefined;
  return Prisma.sql`(
    SELECT coalesce(CASE
      WHEN t.execution_id IS NOT NULL THEN ${matches(wanted, TEXT, ERROR)}
      ELSE (SELECT ${matchesRun(wanted)} FROM executions e WHERE e.id = listed.id)
    END, false) AS hit, ${word === undefined ? Prisma.sql`false` : holds(TEXT, word)} AS near
    FROM (SELECT 1) one LEFT JOIN execution_texts t ON t.execution_id = listed.id
    OFFSET 0)`;
}

/** The condition that the run `e` itself holds what is looked for, without any index. */
export function matchesRun(wanted: Search): Prisma.Sql {
  return Prisma.sql`coalesce(${matches(wanted, executionText, executionError)}, false)`;
}

/**
 * The ids of all matching runs of a workspace, found by index; those that have no text yet are read one by one.
 * @param byWord asks the index for the telling word alone, which is worth it where that is rare.
 */
export function matchingIds(workspaceId: string, wanted: Search, byWord: boolean): Prisma.Sql {
  const indexed: Prisma.Sql[] = [];
  if (wanted.search) indexed.push(mayHold(TEXT, wanted.search, byWord ? tellingWord(wanted.search) : undefined));
  if (wanted.errorContains) indexed.push(mayHold(ERROR, wanted.errorContains, undefined));
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

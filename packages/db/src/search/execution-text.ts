import { Prisma } from '../client.js';

/** Characters of each trigger data and output that are searched; more is rarely looked for and dear to keep. */
const SEARCHED_CHARS = 65_536;

/** What the run `e` is searched by, as SQL: its ids, trigger data, outputs and errors, in lower case. */
export const executionText = Prisma.sql`lower(concat_ws(E'\n',
  e.id, e.workflow_id, e.workflow_version_id, e.rerun_of, e.parent_execution_id,
  left(e.trigger_data, ${Prisma.raw(String(SEARCHED_CHARS))}), e.error,
  (SELECT string_agg(concat_ws(E'\n', left(n.output, ${Prisma.raw(String(SEARCHED_CHARS))}), n.error), E'\n')
   FROM node_runs n WHERE n.execution_id = e.id)))`;

/**
 * The error of the run `e` as it is searched, as SQL: message and code in lower case; null without an error. The message
 * stays as JSON spells it: a NUL character in it, which PostgreSQL's own reading of JSON refuses, does no harm.
 */
export const executionError = Prisma.sql`lower(regexp_replace(e.error,
  '^\\{"message"\\s*:\\s*"(.*)",\\s*"nodeId"\\s*:.*,\\s*"code"\\s*:\\s*"(.*)"\\s*\\}$', E'\\\\1\n\\\\2'))`;

/** A condition that a lower-case text (as SQL) holds what a person typed. */
export function holds(text: Prisma.Sql, wanted: string): Prisma.Sql {
  const spellings = new Set([wanted, JSON.stringify(wanted).slice(1, -1)]);
  const patterns = [...spellings].map((spelling) => `%${spelling.replaceAll(/[\\%_]/g, '\\$&')}%`);
  return Prisma.sql`(${Prisma.join(
    patterns.map((pattern) => Prisma.sql`${text} LIKE lower(${pattern})`),
    ' OR ',
  )})`;
}

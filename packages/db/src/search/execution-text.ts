import { MASKED_HEADERS } from '@deckhand/contracts';
import { Prisma } from '../client.js';

/** Characters of each trigger data, output and error that are searched; more is rarely looked for and dear to keep. */
export const SEARCHED_CHARS = 65_536;
const SEARCHED = Prisma.raw(String(SEARCHED_CHARS));
/**
 * Characters of one run that are searched: a run of a thousand nodes must not fill the memory of whoever builds its
 * text.
 */
const MAX_TEXT_CHARS = Prisma.raw('1048576');

/**
 * The JSON text (as SQL) without the values of secret headers, also of one that is cut off in the middle. The search
 * for a text comes first, since most texts hold no headers and the expression is dear.
 */
function withoutSecretHeaders(text: Prisma.Sql): Prisma.Sql {
  const secret = `("(?:${MASKED_HEADERS.join('|')})":)"(?:[^"\\\\]|\\\\.)*(?:"|$)`;
  return Prisma.sql`(
    SELECT CASE WHEN strpos(part.text, '"headers":{') = 0 THEN part.text
      ELSE regexp_replace(part.text, ${Prisma.raw(`'${secret}'`)}, '\\1""', 'gi') END
    FROM (SELECT ${text} AS text OFFSET 0) part)`;
}

const triggerText = withoutSecretHeaders(Prisma.sql`left(e.trigger_data, ${SEARCHED})`);
const outputText = withoutSecretHeaders(Prisma.sql`left(n.output, ${SEARCHED})`);

/**
 * What the run `e` is searched by, as SQL: its ids, trigger data, error, and the outputs and errors of its nodes in the
 * order in which they began, in lower case, up to 1 MiB of it; of a large output its beginning. Outputs beyond that are
 * not read: their lengths are known without.
 */
export const executionText = Prisma.sql`lower(left(concat_ws(E'\n',
  e.id, e.workflow_id, e.workflow_version_id, e.rerun_of, e.parent_execution_id,
  ${triggerText}, left(e.error, ${SEARCHED}),
  (SELECT string_agg(concat_ws(E'\n', ${outputText}, left(n.error, ${SEARCHED})), E'\n'
     ORDER BY n.started_at, n.node_id)
   FROM (
     SELECT coalesce(m.output, l.search_text) AS output, m.error, m.started_at, m.node_id,
       sum(least(coalesce(octet_length(m.output), octet_length(l.search_text), 0), ${SEARCHED}) + least(coalesce(octet_length(m.error), 0), ${SEARCHED}))
         OVER (ORDER BY m.started_at, m.node_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
     FROM node_runs m LEFT JOIN large_outputs l ON l.id = m.output_ref WHERE m.execution_id = e.id
   ) n
   WHERE coalesce(n.bytes_before, 0) < ${MAX_TEXT_CHARS})
), ${MAX_TEXT_CHARS}))`;

/**
 * The error of the run `e` as it is searched, as SQL: message and code in lower case; null without an error. The
 * message stays as JSON spells it: a NUL character in it, which PostgreSQL's own reading of JSON refuses, does no harm.
 */
export const executionError = Prisma.sql`lower(regexp_replace(e.error,
  '^\\{"message"\\s*:\\s*"(.*)",\\s*"nodeId"\\s*:.*,\\s*"code"\\s*:\\s*"(.*)"\\s*\\}$', E'\\\\1\n\\\\2'))`;

/**
 * The condition that a lower-case text (as SQL) holds what a person typed, as it is or as JSON spells it in a string.
 */
export function holds(text: Prisma.Sql, wanted: string): Prisma.Sql {
  const spellings = new Set([wanted, JSON.stringify(wanted).slice(1, -1)]);
  const found = [...spellings].map((spelling) => Prisma.sql`strpos(${text}, lower(${spelling})) > 0`);
  return Prisma.sql`(${Prisma.join(found, ' OR ')})`;
}

/**
 * A condition that follows from `holds` and that a trigram index answers: the words of what is wanted, in their order,
 * or one word of it alone. Only words have trigrams.
 */
export function mayHold(text: Prisma.Sql, wanted: string, word: string | undefined): Prisma.Sql {
  const words = word === undefined ? wordsOf(wanted) : [word];
  // Nothing in words has to be escaped.
  return Prisma.sql`${text} LIKE lower(${`%${words.join('%')}%`})`;
}

/**
 * The word that tells most, one with digits rather than without, and the longest, with the signs beside it: they say
 * where the word begins and ends. The index reads the entries of every trigram of what it is asked for, so one rare
 * word is found sooner than the same word among frequent ones.
 * @returns undefined when there is but one word, or none that is long enough to have a trigram.
 */
export function tellingWord(wanted: string): string | undefined {
  const words = [...wanted.matchAll(TELLING)].map(([word]) => word);
  if (wordsOf(wanted).length < 2) return undefined;
  const weight = (word: string): number => word.length + (/\d/.test(word) ? 1_000 : 0);
  return words.filter(({ length }) => length >= 3).sort((a, b) => weight(b) - weight(a))[0];
}

/** A word with the signs beside it that JSON spells as they are and LIKE takes as they are. */
const TELLING = /[@:;,.=/#&?+ -]?[\p{L}\p{N}]+[@:;,.=/#&?+ -]?/gu;

/** Runs of letters and digits. */
function wordsOf(wanted: string): string[] {
  return wanted.match(/[\p{L}\p{N}]+/gu) ?? [];
}

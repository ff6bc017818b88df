import { MASKED_HEADERS } from '@deckhand/contracts';
import { Prisma } from '../client.ts';
import { hasLetterForms, withAnyForm, withUsualForms } from './letter-forms.ts';

/** A word with adjacent characters that need no escaping in JSON and LIKE. */
const DELIMITED_WORD = /[@:;,.=/#&?+ -]?[\p{L}\p{N}]+[@:;,.=/#&?+ -]?/gu;

/**
 * Characters of each trigger data, output and error that are searched; more is rarely needed and expensive to store.
 */
export const SEARCHED_CHARS = 65_536;
const SEARCHED = Prisma.raw(String(SEARCHED_CHARS));
/** Characters of one run that are searched: the text of a run of a thousand nodes must not fill the memory. */
const MAX_TEXT_CHARS = Prisma.raw('1048576');

/**
 * Returns the JSON text (as SQL) without the values of secret headers, including one that is cut off in the middle. The
 * check for the text comes first, because most texts contain no headers and the expression is expensive.
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
 * Returns the search text of the run `e`, as SQL: its ids, trigger data, error, and the outputs and errors of its nodes
 * in the order of their start, in lower case, up to 1 MiB in total; of a large output its beginning. Outputs beyond
 * that are not read, because their lengths are known.
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
 * Returns the error of the run `e` for searches, as SQL: message and code in lower case; null without an error. The
 * message stays JSON-encoded, because PostgreSQL's JSON parser refuses NUL characters.
 */
export const executionError = Prisma.sql`lower(regexp_replace(e.error,
  '^\\{"message"\\s*:\\s*"(.*)",\\s*"nodeId"\\s*:.*,\\s*"code"\\s*:\\s*"(.*)"\\s*\\}$', E'\\\\1\n\\\\2'))`;

/**
 * Returns the condition that a lower-case text (as SQL) contains what a person typed, as it is or JSON-encoded,
 * whatever the forms of its letters.
 */
export function contains(text: Prisma.Sql, wanted: string): Prisma.Sql {
  const fold = hasLetterForms(wanted) ? withUsualForms : (sql: Prisma.Sql) => sql;
  const spellings = new Set([wanted, JSON.stringify(wanted).slice(1, -1)]);
  const found = [...spellings].map(
    (spelling) => Prisma.sql`strpos(${fold(text)}, ${fold(Prisma.sql`lower(${spelling})`)}) > 0`,
  );
  return Prisma.sql`(${Prisma.join(found, ' OR ')})`;
}

/**
 * Returns a condition that follows from `contains` and that a trigram index can serve: the words of the search in their
 * order, or one of them. Only words have trigrams.
 */
export function mayContain(text: Prisma.Sql, wanted: string, word: string | undefined): Prisma.Sql {
  const words = word === undefined ? wordsOf(wanted) : [word];
  // Words contain nothing that has to be escaped.
  return Prisma.sql`${text} LIKE lower(${withAnyForm(`%${words.join('%')}%`)})`;
}

/**
 * Returns the most selective word: preferably one with digits, and the longest, with the adjacent characters that mark
 * its beginning and end. The index reads the entries of every trigram of the search, so one rare word is faster than
 * the same word among frequent ones.
 * @returns undefined if there is only one word, or none that is long enough to have a trigram.
 */
export function findMostSelectiveWord(wanted: string): string | undefined {
  const words = [...wanted.matchAll(DELIMITED_WORD)].map(([word]) => word);
  if (wordsOf(wanted).length < 2) return undefined;
  const weight = (word: string): number => word.length + (/\d/.test(word) ? 1_000 : 0);
  return words.filter(({ length }) => length >= 3).sort((a, b) => weight(b) - weight(a))[0];
}

/** Sequences of letters and digits. */
function wordsOf(wanted: string): string[] {
  return wanted.match(/[\p{L}\p{N}]+/gu) ?? [];
}

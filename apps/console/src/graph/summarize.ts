import { isJsonObject, type JsonObject, type JsonValue, type NodeDefinition } from '@deckhand/contracts';
import { i18n } from '../language/i18n.ts';
import { describeCron } from './cron.ts';

/** Longest summary, in characters: the card shows fewer. */
const MAX_LENGTH = 80;
/** Most entries of a list that a summary names. */
const MAX_ENTRIES = 10;

type Summary = (parameters: JsonObject) => string | undefined;

/** What a node of a type does, by its parameters. */
const SUMMARIES = new Map<string, Summary>(
  Object.entries<Summary>({
    'trigger.webhook': ({ method }) => textOf(method) ?? 'POST',
    'trigger.schedule': ({ cron }) => (typeof cron === 'string' ? describeCron(cron) : undefined),
    'trigger.event': ({ name }) => textOf(name),
    http: ({ method, url }) => joined(textOf(method) ?? 'GET', textOf(url)?.replace(/^https?:\/\//, '')),
    email: ({ to }) => {
      const recipients = Array.isArray(to) ? to.slice(0, MAX_ENTRIES).map(textOf).join(', ') : textOf(to);
      return recipients === undefined ? undefined : i18n.t('to {recipients}', { recipients });
    },
    postgres: ({ query }) => textOf(query),
    if: ({ condition }) => textOf(condition),
    switch: ({ value }) => textOf(value),
    loop: ({ mode, items: given, condition: test }) => {
      const condition = textOf(test);
      const items = textOf(given);
      if (mode === 'while') return condition === undefined ? undefined : i18n.t('while {condition}', { condition });
      if (mode === 'until') return condition === undefined ? undefined : i18n.t('until {condition}', { condition });
      return items === undefined ? undefined : i18n.t('each of {items}', { items });
    },
    merge: ({ mode, count: given }) => {
      if (mode === 'any') return i18n.t('the first');
      const count = mode === 'count' ? textOf(given) : undefined;
      return count === undefined ? undefined : i18n.t('the first {count}', { count });
    },
    wait: ({ seconds, until }) => {
      if (seconds !== undefined) return joined(textOf(seconds), 's');
      const time = textOf(until);
      return time === undefined ? undefined : i18n.t('until {time}', { time });
    },
    'wait.event': ({ name }) => textOf(name),
    lock: ({ key }) => textOf(key),
    unlock: ({ key }) => textOf(key),
    fail: ({ message }) => textOf(message),
    set: ({ fields }) => (isJsonObject(fields) ? Object.keys(fields).slice(0, MAX_ENTRIES).join(', ') : undefined),
    filter: ({ conditions, match }) =>
      entriesOf(conditions)
        .map(({ field, operator, value }) => present(textOf(field) ?? i18n.t('item'), textOf(operator), textOf(value)))
        .join(` ${match === 'any' ? i18n.t('or') : i18n.t('and')} `),
    sort: ({ by }) =>
      entriesOf(by)
        .map(({ field }) => textOf(field) ?? i18n.t('item'))
        .join(', '),
    aggregate: ({ operations }) =>
      entriesOf(operations)
        .map(({ operation, field }) => present(textOf(operation), textOf(field)))
        .join(', '),
    split: ({ size: given, field }) => {
      if (given === undefined) return textOf(field);
      const size = textOf(given);
      return size === undefined ? undefined : i18n.t('every {size}', { size });
    },
    dates: ({ operation }) => textOf(operation),
    csv: ({ operation }) => textOf(operation),
    xml: ({ operation }) => textOf(operation),
    hmac: ({ operation }) => textOf(operation),
    approval: ({ message }) => textOf(message),
    human: ({ title }) => textOf(title),
  }),
);

/**
 * Returns a line on what a node does, such as `GET api.example.com/orders` or `$input.amount > 100`; undefined if its
 * parameters do not say.
 */
export function summarize({ type, parameters = {} }: NodeDefinition): string | undefined {
  const line = SUMMARIES.get(type)?.(parameters)?.trim() ?? '';
  if (line === '') return undefined;
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}

/** A value in one line; the braces around expressions are left out. */
function textOf(value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  // More is not shown, and the text may have megabytes.
  const text = typeof value === 'string' ? value.slice(0, 4 * MAX_LENGTH) : shortJson(value);
  return text
    .replace(/\{\{\s*(.*?)\s*\}\}/gs, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Lists and objects only by their size. */
function shortJson(value: JsonValue): string {
  if (Array.isArray(value)) return i18n.t('{count, plural, one {# item} other {# items}}', { count: value.length });
  return isJsonObject(value) ? '{…}' : JSON.stringify(value);
}

/** Joins words; undefined if one is missing. */
function joined(...words: readonly (string | undefined)[]): string | undefined {
  return words.includes(undefined) ? undefined : words.join(' ');
}

/** Joins the words that are there. */
function present(...words: readonly (string | undefined)[]): string {
  return words.filter((word) => word !== undefined).join(' ');
}

function entriesOf(list: JsonValue | undefined): JsonObject[] {
  return Array.isArray(list) ? list.slice(0, MAX_ENTRIES).filter(isJsonObject) : [];
}

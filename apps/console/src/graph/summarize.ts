import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type NodeDefinition,
  type NodeTypeEntry,
  type SummaryLine,
} from '@deckhand/contracts';
import { i18n } from '../language/i18n.ts';
import { describeCron } from './cron.ts';

/** Longest summary, in characters: the card shows fewer. */
const MAX_LENGTH = 80;
/** Most entries of a list that a summary names. */
const MAX_ENTRIES = 10;
/** `{name}`, `{name?}`, or `{name|word}`: the value, nothing, or a word without one. */
const PLACEHOLDER = /\{(\w+)(\?|\|[^}]*)?\}/g;

/**
 * Returns a line on what a node does, such as `GET api.example.com/orders` or `$input.amount > 100`; undefined if its
 * type has no line for its parameters.
 */
export function summarize({ parameters = {} }: NodeDefinition, type: NodeTypeEntry | undefined): string | undefined {
  if (!type) return undefined;
  const valueOf = (name: string): JsonValue | undefined =>
    Object.hasOwn(parameters, name) ? parameters[name] : defaultOf(type.parameters, name);
  for (const line of type.summary) {
    if (!Object.entries(line.when ?? {}).every(([name, value]) => valueOf(name) === value)) continue;
    const text = fillLine(line, valueOf, type)?.replaceAll(/\s+/g, ' ').trim() ?? '';
    if (text !== '') return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
  }
  return undefined;
}

function fillLine(
  { text, each, join }: SummaryLine,
  valueOf: (name: string) => JsonValue | undefined,
  { form }: NodeTypeEntry,
): string | undefined {
  if (each === undefined) {
    return fillText(text, (name) => {
      const value = valueOf(name);
      return form.inputs[name] === 'cron' && typeof value === 'string' ? describeCron(value) : textOf(value);
    });
  }
  const list = valueOf(each);
  const entries = Array.isArray(list) ? list.slice(0, MAX_ENTRIES).filter(isJsonObject) : [];
  const parts = entries.map((entry) => fillText(text, (name) => textOf(entry[name]))?.trim());
  return parts.filter((part) => part !== undefined).join(join === undefined ? ', ' : ` ${join} `);
}

/** Returns a text with values in place of names; undefined if one of them has no value. */
function fillText(text: string, read: (name: string) => string | undefined): string | undefined {
  const missing: string[] = [];
  const filled = text.replaceAll(PLACEHOLDER, (_, name: string, otherwise: string | undefined) => {
    const value = read(name);
    if (value === undefined && otherwise === undefined) missing.push(name);
    return value ?? otherwise?.slice(1) ?? '';
  });
  return missing.length === 0 ? filled : undefined;
}

function defaultOf({ properties }: JsonObject, name: string): JsonValue | undefined {
  const schema = isJsonObject(properties) ? properties[name] : undefined;
  return isJsonObject(schema) ? schema.default : undefined;
}

/** Returns a value in one line, without the braces around expressions; undefined if it is empty. */
function textOf(value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  // More is not shown, and the text may have megabytes.
  const text = typeof value === 'string' ? value.slice(0, 4 * MAX_LENGTH) : shortJson(value);
  const line = text.replaceAll(/\{\{\s*(.*?)\s*\}\}/gs, '$1').trim();
  return line === '' ? undefined : line.replace(/^https?:\/\//, '');
}

/** Returns the first texts of a list and names of an object, and the number of other elements of a list. */
function shortJson(value: JsonValue): string {
  if (isJsonObject(value)) return Object.keys(value).slice(0, MAX_ENTRIES).join(', ');
  if (!Array.isArray(value)) return JSON.stringify(value);
  const list: readonly JsonValue[] = value;
  const first = list.slice(0, MAX_ENTRIES);
  return first.length > 0 && first.every((one) => typeof one === 'string')
    ? first.map(textOf).join(', ')
    : i18n.t('{count, plural, one {# item} other {# items}}', { count: list.length });
}

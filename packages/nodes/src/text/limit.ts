import { findJsonExcess, type JsonObject, type JsonValue, parseExactJson } from '@deckhand/contracts';
import { NodeError } from '@deckhand/engine';
import type { Steps, Work } from '../work/slices.ts';

/** Maximum length of a text that a node reads, in characters. */
const MAX_TEXT = 5_000_000;
/** Maximum length of the output, in characters of JSON. */
const MAX_RESULT = 16_777_216;
/** Maximum length of what a message quotes of others, in characters. */
const MAX_QUOTED = 1_000;

/** Cuts a text of others for a message, after 1,000 characters. */
export function excerpt(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}

/** @throws NodeError TEXT_TOO_LARGE above 5,000,000 characters. */
export function checkLength(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  throw new NodeError('TEXT_TOO_LARGE', `the text has more than ${MAX_TEXT} characters`, { isRetryable: false });
}

/** Checks the size of a result before it is created. @throws NodeError RESULT_TOO_LARGE above `max`. */
export function checkResultLength(characters: number, max: number = MAX_RESULT): void {
  if (characters <= max) return;
  throw new NodeError('RESULT_TOO_LARGE', `the result would have more than ${max} characters of JSON`, {
    isRetryable: false,
  });
}

/** Returns what a JSON text has too many of to be parsed at once; undefined if it is within bounds. */
export function findTextExcess(text: string): string | undefined {
  if (text.length > MAX_RESULT) return `has more than ${MAX_RESULT} characters`;
  return findJsonExcess(text);
}

/**
 * Parses untrusted JSON. Numbers beyond the safe range become texts. @param what names it in the error.
 * @throws NodeError RESULT_TOO_LARGE for more than can be parsed at once; SyntaxError.
 */
export function parseForeignJson(text: string, what: string): JsonValue {
  const excess = findTextExcess(text);
  if (excess === undefined) return parseExactJson(text);
  throw new NodeError('RESULT_TOO_LARGE', `${what} ${excess}`, { isRetryable: false });
}

/**
 * Checks the size of a value as JSON before it is written. Parts that it contains several times count each time: they
 * are shared in memory, not in text.
 * @returns the value.
 * @throws NodeError RESULT_TOO_LARGE above `max` characters, escapes not counted.
 */
export function* checkedResult(value: JsonValue, work: Work, max: number = MAX_RESULT): Steps<JsonValue> {
  /** Lists and objects that are not counted completely, and the position in each; the innermost last. */
  const open: (readonly JsonValue[] | JsonObject)[] = [];
  const places: number[] = [];
  let length = 0;
  const count = (one: JsonValue): void => {
    length += lengthOf(one);
    if (typeof one !== 'object' || one === null) return;
    open.push(one);
    places.push(0);
  };
  count(value);
  for (let one = open.at(-1); one; one = open.at(-1)) {
    const place = places.at(-1) ?? 0;
    const element = isList(one) ? one[place] : undefined;
    if (element !== undefined) {
      places[places.length - 1] = place + 1;
      count(element);
      if (work.spend(1)) yield;
    } else {
      open.pop();
      places.pop();
      if (isList(one)) continue;
      // Parsed or created values have no inherited members; listing their names would create garbage.
      for (const name in one) {
        length += name.length + 3;
        count(one[name] ?? null);
        if (work.spend(2)) yield;
      }
    }
    checkResultLength(length, max);
  }
  checkResultLength(length, max);
  return value;
}

/** Characters of a text or a number, with separators; of a list or an object, of its brackets. */
function lengthOf(value: JsonValue): number {
  if (typeof value === 'string') return value.length + 3;
  return typeof value === 'number' ? String(value).length + 1 : 3;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

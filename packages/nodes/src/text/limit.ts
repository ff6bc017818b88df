import { findJsonExcess, type JsonObject, type JsonValue, parseJson } from '@deckhand/contracts';
import { NodeError } from '@deckhand/engine';
import type { Steps, Work } from '../work/slices.js';

/** Text that a node reads at most, in characters. */
const MAX_TEXT = 5_000_000;
/** What a node makes of it at most, in characters of JSON. */
const MAX_RESULT = 16_777_216;

/** @throws NodeError TEXT_TOO_LARGE above 5,000,000 characters. */
export function checkLength(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  throw new NodeError('TEXT_TOO_LARGE', `the text has more than ${MAX_TEXT} characters`, { isRetryable: false });
}

/**
 * Checks what a result would take, before it is made.
 * @throws NodeError RESULT_TOO_LARGE above `max`.
 */
export function checkResultLength(characters: number, max: number = MAX_RESULT): void {
  if (characters <= max) return;
  throw new NodeError('RESULT_TOO_LARGE', `the result would have more than ${max} characters of JSON`, {
    isRetryable: false,
  });
}

/** Says what a JSON text has too much of to be parsed at once; undefined when it is within bounds. */
export function findTextExcess(text: string): string | undefined {
  if (text.length > MAX_RESULT) return `has more than ${MAX_RESULT} characters`;
  return findJsonExcess(text);
}

/**
 * Parses JSON that somebody else wrote.
 * @param what names it in the error.
 * @throws NodeError RESULT_TOO_LARGE for more than can be parsed at once; SyntaxError.
 */
export function parseForeignJson(text: string, what: string): JsonValue {
  const excess = findTextExcess(text);
  if (excess === undefined) return parseJson(text);
  throw new NodeError('RESULT_TOO_LARGE', `${what} ${excess}`, { isRetryable: false });
}

/**
 * Checks what a value takes as JSON before it is written. What it holds several times counts each time: the values are
 * shared in memory, not in text.
 * @returns the value.
 * @throws NodeError RESULT_TOO_LARGE above `max` characters, escapes not counted.
 */
export function* checkedResult(value: JsonValue, work: Work, max: number = MAX_RESULT): Steps<JsonValue> {
  /** Lists and objects whose members are not all counted yet, and how far each is; the innermost last. */
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
      // What was parsed or made here has no members but its own; lists of them would be garbage.
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

/** Characters of a text or a number, with what stands around it; of a list or an object, of its brackets. */
function lengthOf(value: JsonValue): number {
  if (typeof value === 'string') return value.length + 3;
  return typeof value === 'number' ? String(value).length + 1 : 3;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

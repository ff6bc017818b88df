/** A JSON value (RFC 8259). Treated as immutable everywhere: values are shared, never changed in place. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Returns true for a JSON object, which is neither an array nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON text. @throws SyntaxError if it is invalid. */
export function parseJson(text: string): JsonValue {
  // JSON.parse returns a JSON value by definition, but is declared to return any.
  return JSON.parse(text) as JsonValue;
}

/** Matches a number of JSON that a double may change or cannot hold, or such digits within a string. */
const LARGE_NUMBER =
  /(?<=^|[[:,\s])-?(?:[1-9]\d{15,}(?:\.\d+)?(?:[eE][+-]?\d+)?|(?:0|[1-9]\d*)(?:\.\d+)?[eE]\+?\d{3,})(?![\d.eE])/g;

/** One of these matches a part of each. Together, they fail in about half the time that parsing the text takes. */
const MAYBE_LARGE = [/(?:^|[[:,\s])-?[1-9]\d{15}/, /\d[eE]\+?\d{3}/];

/** Matches what follows a name of a member. */
const NAME_END = /\s*:/y;

/**
 * Parses JSON of others. Numbers that a JavaScript number would falsify become texts, as they are written: whole ones
 * beyond ±(2^53 - 1), and all beyond its range, such as `1e999`, which would become Infinity, and null when written.
 * @throws SyntaxError if it is invalid.
 */
export function parseExactJson(text: string): JsonValue {
  if (!MAYBE_LARGE.some((pattern) => pattern.test(text))) return parseJson(text);
  let rest = 0;
  let quoted = '';
  for (const { number, start } of largeNumbers(text)) {
    quoted += `${text.slice(rest, start)}"${number}"`;
    rest = start + number.length;
  }
  return parseJson(rest === 0 ? text : quoted + text.slice(rest));
}

/** Takes time in proportion to the text. */
function* largeNumbers(text: string): Generator<{ readonly number: string; readonly start: number }> {
  /** The position up to which strings are known, outside of a string, and the next quote. */
  let outside = 0;
  let quote = -1;
  for (const match of text.matchAll(LARGE_NUMBER)) {
    const [number] = match;
    if (quote < outside) quote = indexOfQuote(text, outside);
    while (quote < match.index) {
      outside = endOfString(text, quote);
      quote = indexOfQuote(text, outside);
    }
    NAME_END.lastIndex = match.index + number.length;
    if (outside > match.index || NAME_END.test(text) || isHeld(number)) continue;
    yield { number, start: match.index };
  }
}

/** Returns true for a number that keeps its digits if it is whole, and otherwise all that a double has. */
function isHeld(number: string): boolean {
  const value = Number(number);
  return Number.isSafeInteger(value) || (Number.isFinite(value) && /[.eE]/.test(number));
}

function indexOfQuote(text: string, from: number): number {
  const at = text.indexOf('"', from);
  return at === -1 ? text.length : at;
}

/** Returns the position after a string that begins with the quote at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text[at - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
  return text.length;
}

/**
 * Parses JSON that this service wrote itself, so that its type is known. Must not be used for input of a caller, which
 * is validated against a schema.
 * @throws SyntaxError if it is invalid.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the writer's type is the claim
export function parseOwnJson<T>(text: string): T {
  return JSON.parse(text) as T;
}

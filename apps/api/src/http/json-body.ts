import {
  type ValidationIssue,
  validationFailed,
  DeckhandError,
  findJsonExcess,
  type JsonValue,
  parseExactJson,
} from '@deckhand/contracts';
import { isUtf8 } from 'node:buffer';
import { nextSlice } from '@deckhand/runtime';

/** Between the steps of a longer body, in characters, others get to run. */
const LONG_CHARS = 256 * 1024;

/**
 * Parses the JSON of a body that is not empty. Numbers beyond the safe range become texts.
 * @param check checks the value, or arranges for its parts to be checked by themselves.
 * @throws DeckhandError INVALID_JSON; VALIDATION_FAILED for JSON that cannot be stored (NUL characters, too much
 * nesting), or that costs much more than its length suggests.
 */
export async function parseJsonBody(bytes: Buffer, check: typeof checkJson): Promise<JsonValue> {
  if (!isUtf8(bytes)) throw new DeckhandError('INVALID_JSON', { message: 'The body is not UTF-8' });
  const text = bytes.toString('utf8', startsWithMark(bytes) ? BYTE_ORDER_MARK.length : 0);
  const isLong = text.length > LONG_CHARS;
  if (isLong) {
    await nextSlice();
    const excess = findJsonExcess(text);
    if (excess !== undefined) throw validationFailed([{ path: '', message: excess }]);
    await nextSlice();
  }
  const value = parse(text);
  if (isLong) await nextSlice();
  check(value, text);
  return value;
}

function parse(text: string): JsonValue {
  try {
    return parseExactJson(text);
  } catch (cause) {
    throw new DeckhandError('INVALID_JSON', { cause });
  }
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

function startsWithMark(bytes: Buffer): boolean {
  return bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
}

/** Maximum nesting of arrays and objects in a body. */
const MAX_DEPTH = 200;

/** Shorter texts, in characters, cannot be nested too deep. */
const LENGTH_SUSPECT = 300;

/** Matches the escape of half a surrogate pair: UTF-8 itself has none. */
const HALF_ESCAPE = /\\u[dD][89a-fA-F]/;

/** Returns what makes a text one that cannot be stored. */
type FindFlaw = (text: string) => string | undefined;

/**
 * Refuses JSON that the service cannot store: strings with NUL characters, which PostgreSQL does not support, or with
 * half a surrogate pair, which is not text; and nesting that would exhaust the stack. Checks the value only if `text`,
 * its source, gives a reason to.
 * @throws DeckhandError VALIDATION_FAILED naming the first such place.
 */
export function checkJson(value: unknown, text: string): void {
  check(value, text, HALF_ESCAPE.test(text) ? findAnyFlaw : undefined);
}

/** The same for data of runs, which is kept as it came, half surrogate pairs included. */
export function checkData(value: unknown, text: string): void {
  check(value, text, undefined);
}

function check(value: unknown, text: string, findFlaw: FindFlaw | undefined): void {
  const flaws = findFlaw ?? (text.includes('\\u0000') ? findNul : undefined);
  if (!flaws && text.length < LENGTH_SUSPECT) return;
  const issue = findIssue(value, 0, flaws);
  if (issue) throw validationFailed([issue]);
}

const findNul: FindFlaw = (text) => (text.includes('\0') ? 'holds a NUL character' : undefined);

const findAnyFlaw: FindFlaw = (text) =>
  findNul(text) ?? (text.isWellFormed() ? undefined : 'holds half a surrogate pair');

/**
 * Returns the first problem of a value, with its path within the value. Paths are built for problems only, because most
 * values have none and may have millions of members.
 * @param findFlaw undefined if no text can have one.
 */
function findIssue(value: unknown, depth: number, findFlaw: FindFlaw | undefined): ValidationIssue | undefined {
  if (typeof value === 'string') return toIssue('', findFlaw?.(value));
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === MAX_DEPTH) throw validationFailed([{ path: '', message: `is nested deeper than ${MAX_DEPTH} levels` }]);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const issue = findIssue(value[index], depth + 1, findFlaw);
      if (issue) return within(`[${index}]`, issue);
    }
    return undefined;
  }
  for (const key in value) {
    const flaw = toIssue('has a member whose name ', findFlaw?.(key));
    if (flaw) return flaw;
    const issue = findIssue(Reflect.get(value, key), depth + 1, findFlaw);
    if (issue) return within(key, issue);
  }
  return undefined;
}

function toIssue(prefix: string, flaw: string | undefined): ValidationIssue | undefined {
  return flaw === undefined ? undefined : { path: '', message: prefix + flaw };
}

function within(member: string, { path, message }: ValidationIssue): ValidationIssue {
  const dot = path === '' || path.startsWith('[') ? '' : '.';
  return { path: `${member}${dot}${path}`, message };
}

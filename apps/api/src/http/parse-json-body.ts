import { isUtf8 } from 'node:buffer';
import { DeckhandError, findJsonExcess, type JsonValue, parseExactJson, validationFailed } from '@deckhand/contracts';
import { nextSlice } from '@deckhand/runtime';
import type { checkJson } from './check-json.ts';

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

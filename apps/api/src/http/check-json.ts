import { type Fault, validationFailed } from '@deckhand/contracts';

/** Deepest nesting of arrays and objects in a body. */
const DEPTH_MAX = 200;

/** Shortest text that could be nested too deep; digits alone need more than 300 to be out of range. */
const LENGTH_SUSPECT = 300;
/** An exponent that could be out of range. */
const LARGE_EXPONENT = /\de\+?\d{3}/i;

/**
 * Refuses JSON that the service cannot keep: strings with NUL characters, which PostgreSQL has no text for, numbers so
 * large that they would be read as Infinity and written as null, and nesting so deep that writing it again would
 * exhaust the stack. Looks closer only where `text`, its source, gives reason to.
 * @throws DeckhandError VALIDATION_FAILED naming the first such place.
 */
export function checkJson(value: unknown, text: string): void {
  const mayHoldNul = text.includes('\\u0000');
  if (!mayHoldNul && text.length < LENGTH_SUSPECT && !LARGE_EXPONENT.test(text)) return;
  const fault = findFault(value, '', 0, mayHoldNul);
  if (fault) throw validationFailed([fault]);
}

function findFault(value: unknown, path: string, depth: number, mayHoldNul: boolean): Fault | undefined {
  if (typeof value === 'string') return mayHoldNul && value.includes('\0') ? { path, message: NUL } : undefined;
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : { path, message: 'is a number out of range' };
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === DEPTH_MAX) return { path: '', message: `is nested deeper than ${DEPTH_MAX} levels` };
  const isList = Array.isArray(value);
  for (const [key, member] of Object.entries(value)) {
    if (mayHoldNul && key.includes('\0')) return { path, message: `has a member whose name ${NUL}` };
    const fault = findFault(member, memberPath(path, key, isList), depth + 1, mayHoldNul);
    if (fault) return fault;
  }
  return undefined;
}

const NUL = 'holds a NUL character';

function memberPath(path: string, key: string, isList: boolean): string {
  if (isList) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}

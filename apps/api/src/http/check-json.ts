import { type ValidationIssue, validationFailed } from '@deckhand/contracts';

/** Maximum nesting of arrays and objects in a body. */
const MAX_DEPTH = 200;

/** Shorter texts, in characters, can neither be nested too deep nor hold a number of more than 300 digits. */
const LENGTH_SUSPECT = 300;
/** Matches an exponent that may be out of range. */
const LARGE_EXPONENT = /\de\+?\d{3}/i;

/**
 * Refuses JSON that the service cannot store: strings with NUL characters, which PostgreSQL does not support, numbers
 * that would be parsed as Infinity and written as null, and nesting that would exhaust the stack. Checks the value only
 * if `text`, its source, gives a reason to.
 * @throws DeckhandError VALIDATION_FAILED naming the first such place.
 */
export function checkJson(value: unknown, text: string): void {
  const mayHoldNul = text.includes('\\u0000');
  if (!mayHoldNul && text.length < LENGTH_SUSPECT && !LARGE_EXPONENT.test(text)) return;
  const issue = findIssue(value, 0, mayHoldNul);
  if (issue) throw validationFailed([issue]);
}

/**
 * Returns the first problem of a value, with its path within the value. Paths are built for problems only, because most
 * values have none and may have millions of members.
 */
function findIssue(value: unknown, depth: number, mayHoldNul: boolean): ValidationIssue | undefined {
  if (typeof value === 'string') return mayHoldNul && value.includes('\0') ? { path: '', message: NUL } : undefined;
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : { path: '', message: 'is a number out of range' };
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === MAX_DEPTH) throw validationFailed([{ path: '', message: `is nested deeper than ${MAX_DEPTH} levels` }]);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const issue = findIssue(value[index], depth + 1, mayHoldNul);
      if (issue) return within(`[${index}]`, issue);
    }
    return undefined;
  }
  for (const key in value) {
    if (mayHoldNul && key.includes('\0')) return { path: '', message: `has a member whose name ${NUL}` };
    const issue = findIssue(Reflect.get(value, key), depth + 1, mayHoldNul);
    if (issue) return within(key, issue);
  }
  return undefined;
}

const NUL = 'holds a NUL character';

function within(member: string, { path, message }: ValidationIssue): ValidationIssue {
  const dot = path === '' || path.startsWith('[') ? '' : '.';
  return { path: `${member}${dot}${path}`, message };
}

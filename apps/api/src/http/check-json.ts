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
  const fault = findFault(value, 0, mayHoldNul);
  if (fault) throw validationFailed([fault]);
}

/**
 * The first fault of a value, with its path within the value: paths are made of faults alone, since most values have
 * none, and may have millions of members.
 */
function findFault(value: unknown, depth: number, mayHoldNul: boolean): Fault | undefined {
  if (typeof value === 'string') return mayHoldNul && value.includes('\0') ? { path: '', message: NUL } : undefined;
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : { path: '', message: 'is a number out of range' };
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === DEPTH_MAX) throw validationFailed([{ path: '', message: `is nested deeper than ${DEPTH_MAX} levels` }]);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const fault = findFault(value[index], depth + 1, mayHoldNul);
      if (fault) return within(`[${index}]`, fault);
    }
    return undefined;
  }
  for (const key in value) {
    if (mayHoldNul && key.includes('\0')) return { path: '', message: `has a member whose name ${NUL}` };
    const fault = findFault(Reflect.get(value, key), depth + 1, mayHoldNul);
    if (fault) return within(key, fault);
  }
  return undefined;
}

const NUL = 'holds a NUL character';

function within(member: string, { path, message }: Fault): Fault {
  const dot = path === '' || path.startsWith('[') ? '' : '.';
  return { path: `${member}${dot}${path}`, message };
}

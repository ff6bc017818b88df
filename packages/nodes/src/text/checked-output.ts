import { isJsonObject, type JsonValue } from '@deckhand/contracts';
import { type Outcome, output } from '@deckhand/engine';
import { runInSlices, type Steps, type Work } from '../work/slices.ts';
import { checkedResult } from './limit.ts';

/** Number of parts of a small value, and characters of a text that count as one more. */
const FEW_PARTS = 256;
const CHARS_A_PART = 64;

/**
 * Returns a value that shares parts with others, after checking its size as JSON: at once for a small value, as most
 * are. @throws NodeError RESULT_TOO_LARGE.
 */
export function checkedOutput(value: JsonValue, signal: () => AbortSignal): Outcome | Promise<Outcome> {
  return isSmall(value) ? output(value) : runInSlices(signal, (work) => check(value, work));
}

function* check(value: JsonValue, work: Work): Steps<Outcome> {
  return output(yield* checkedResult(value, work));
}

function isSmall(value: JsonValue): boolean {
  let left = FEW_PARTS;
  const visit = (part: JsonValue): boolean => {
    left -= typeof part === 'string' ? 1 + part.length / CHARS_A_PART : 1;
    if (left < 0) return false;
    if (typeof part !== 'object' || part === null) return true;
    if (!isJsonObject(part)) return part.length <= left && part.every(visit);
    // The names of a large object are not even listed.
    for (const name in part) if (!visit(part[name] ?? null)) return false;
    return true;
  };
  return visit(value);
}

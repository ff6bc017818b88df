import { exceed } from './error.ts';
import { dataDepthMax } from './limits.ts';
import type { Run } from './run.ts';
import { ownKeys, isList, type Value, type ValueRecord } from './value.ts';
import type { JsonValue } from '@deckhand/contracts';

/** Counts the bytes of a value as JSON, so that sharing (`[a, a]` of `[b, b]` of ...) cannot hide its size. */
interface Meter {
  bytesLeft: number;
  /** Number of values that may still be visited: many small ones take longer than their bytes suggest. */
  visitsLeft: number;
  /** Spaces per level before each element, as `JSON.stringify` writes them. */
  readonly indent: number;
}

/** Bytes of results per value that may be visited. */
const bytesPerVisit = 16;

/** Whether a value is plain JSON, and its approximate size as JSON in bytes. */
export interface Settled {
  readonly json: JsonValue;
  readonly bytes: number;
}

/**
 * Converts a value to plain JSON as `JSON.stringify` would: undefined, NaN and infinities become null, undefined
 * members disappear, dates become ISO text. Values that are JSON already are returned as they are: inputs are shared,
 * not copied. @throws EvaluationFailure if the JSON would have more than `bytesMax` bytes (escapes in texts are not
 * counted) or nests too deeply.
 */
export function settle(value: Value, bytesMax: number, indent = 0): Settled {
  const meter: Meter = { bytesLeft: bytesMax, visitsLeft: bytesMax / bytesPerVisit, indent };
  const clean = weigh(value, meter, 0);
  const json = isJson(value, clean) ? value : (toJson(value) ?? null);
  return { json, bytes: bytesMax - meter.bytesLeft };
}

/** Returns a value as JSON, and charges it to the results of the run. */
export function toResult(run: Run, value: Value): JsonValue {
  if (typeof value === 'boolean') return value;
  const { json, bytes } = settle(value, run.resultBytesLeft);
  run.resultBytesLeft -= bytes;
  return json;
}

/** Lets the type follow from what `weigh` found out. */
function isJson(value: Value, clean: boolean): value is JsonValue {
  return clean;
}

function visit(meter: Meter, bytes: number): void {
  meter.visitsLeft -= 1;
  take(meter, bytes);
}

function take(meter: Meter, bytes: number): void {
  meter.bytesLeft -= bytes;
  if (!(meter.bytesLeft >= 0 && meter.visitsLeft >= 0)) exceed('the result is too large');
}

/** Charges the size of `value` as JSON, and returns whether it is plain JSON. */
function weigh(value: Value, meter: Meter, depth: number): boolean {
  if (typeof value === 'string') {
    visit(meter, value.length + 2);
    return true;
  }
  visit(meter, 4);
  if (value === undefined) return false;
  if (value === null || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (value instanceof Date) return false;
  if (depth > dataDepthMax) exceed('the result nests too deeply');
  return isList(value) ? weighList(value, meter, depth + 1) : weighRecord(value, meter, depth + 1);
}

function weighList(list: readonly Value[], meter: Meter, depth: number): boolean {
  let clean = true;
  for (const item of list) {
    take(meter, 1 + meter.indent * depth);
    clean = weigh(item, meter, depth) && clean;
  }
  return clean;
}

function weighRecord(record: ValueRecord, meter: Meter, depth: number): boolean {
  let clean = true;
  for (const key of Object.keys(record)) {
    take(meter, key.length + 4 + meter.indent * depth);
    clean = weigh(record[key], meter, depth) && clean;
  }
  return clean;
}

/** Returns a weighed value as JSON: its size and depth are bounded. Copies only what has to change. */
function toJson(value: Value): JsonValue | undefined {
  if (value === undefined || value === null) return value;
  // JSON has no negative zero; adding 0 removes the sign.
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (typeof value !== 'object') return value;
  if (value instanceof Date) return value.toISOString();
  return isList(value) ? listToJson(value) : recordToJson(value);
}

function listToJson(list: readonly Value[]): JsonValue {
  const copy = list.map((item) => toJson(item) ?? null);
  return isJson(
    list,
    copy.every((item, index) => Object.is(item, list[index])),
  )
    ? list
    : copy;
}

function recordToJson(record: ValueRecord): JsonValue {
  const copy: Record<string, JsonValue> = {};
  let clean = true;
  for (const key of ownKeys(record)) {
    const json = toJson(record[key]);
    clean &&= Object.is(json, record[key]) && json !== undefined;
    if (json !== undefined) copy[key] = json;
  }
  return isJson(record, clean) ? record : copy;
}

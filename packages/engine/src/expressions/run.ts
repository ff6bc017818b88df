import type { JsonValue } from '@deckhand/contracts';
import { exceed, type Site, toExpressionError } from './error.ts';
import { defaultLimits, type ExpressionLimits, dataDepthMax } from './limits.ts';
import type { ExpressionScope } from './scope.ts';
import { type Value, ownKeys, isList, type ValueRecord } from './value.ts';

/** The state of one evaluation. Shared by all templates of a node's parameters, so that they share one budget. */
export interface Run {
  readonly scope: ExpressionScope;
  /** Values of arrow parameters, by slot. */
  readonly locals: Value[];
  stepsLeft: number;
  bytesLeft: number;
  resultBytesLeft: number;
  /** `$now`, once it was read. */
  now: string | undefined;
  /** The parameter that is being evaluated, for errors. */
  site: Site;
  /** Where the expression being evaluated begins in the site's source, for errors. */
  base: number;
  /** The position within that expression, for errors. */
  at: number;
}

/** Starts an evaluation with full budgets. */
function startRun(scope: ExpressionScope, limits: Partial<ExpressionLimits> | undefined, site: Site): Run {
  return {
    scope,
    locals: [],
    stepsLeft: limits?.steps ?? defaultLimits.steps,
    bytesLeft: limits?.producedBytes ?? defaultLimits.producedBytes,
    resultBytesLeft: limits?.resultBytes ?? defaultLimits.resultBytes,
    now: undefined,
    site,
    base: 0,
    at: 0,
  };
}

/**
 * Evaluates against a scope. The result is plain JSON that may share structure with its inputs; neither is ever
 * changed. Budgets are those of `limits`, or the defaults. @throws ExpressionError
 */
export type EvaluateJson = (scope: ExpressionScope, limits?: Partial<ExpressionLimits>) => JsonValue;

/** Adds budgets and error handling to compiled code. `site` is its place, until a template names another. */
export function withBudget(site: Site, evaluate: (run: Run) => JsonValue): EvaluateJson {
  return (scope, limits) => {
    const run = startRun(scope, limits, site);
    try {
      return evaluate(run);
    } catch (error) {
      throw toExpressionError(error, run.site, run.base + run.at);
    }
  };
}

/**
 * Takes `steps` from the budget.
 * @throws EvaluationFailure if it is used up, and for NaN, which would disable the budget.
 */
export function spendSteps(run: Run, steps: number): void {
  run.stepsLeft -= steps;
  if (!(run.stepsLeft >= 0)) exceed('the expression takes too many steps');
}

/**
 * Takes `bytes` from the budget, before they are allocated.
 * @throws EvaluationFailure if it is used up, and for NaN.
 */
export function spendBytes(run: Run, bytes: number): void {
  run.bytesLeft -= bytes;
  if (!(run.bytesLeft >= 0)) exceed('the expression produces too much data');
}

/** Number of characters that are scanned in about the time of one step. */
const charactersPerStep = 1_024;

/** Charges one native scan of `characters` of text; short texts are free. */
export function spendScan(run: Run, characters: number): void {
  if (characters >= charactersPerStep / 4) spendSteps(run, characters / charactersPerStep);
}

/** Charges a search for `needle` in `text` by `indexOfText`, which takes longer per character than other scans. */
export function spendSearch(run: Run, text: string, needle: string): void {
  spendScan(run, needle.length <= 1 ? text.length : text.length * 4 + needle.length);
}

/** Charges a text of `characters` before it is created. */
export function spendText(run: Run, characters: number): void {
  spendBytes(run, characters);
  spendScan(run, characters);
}

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

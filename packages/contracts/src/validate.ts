import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Static, TObject, TSchema } from 'typebox';
import { type ValidationIssue, validationFailed } from './errors.ts';
import { isDate, readTime, UUID_PATTERN } from './formats.ts';
import { isJsonObject } from './json.ts';
import { CLAMPED, SINCE } from './schemas/common.ts';
import { SCOPE_PATTERN, SCOPES_IN_WORDS } from './scopes.ts';
import { createUntrustedAjv, findSchemaIssue } from './untrusted-schema.ts';
import { compileNullRemoval } from './without-nulls.ts';

const BODY_OPTIONS = { strict: true, strictTypes: false, allowUnionTypes: true } as const;

/** Two validators: `first` stops at the first error, which is enough for valid values; `all` collects all errors. */
interface Validators {
  readonly first: Ajv2020;
  readonly all: Ajv2020;
}

function createValidators(options: Options): Validators {
  return {
    first: withFormats(new Ajv2020(options)),
    all: withFormats(new Ajv2020({ ...options, allErrors: true })),
  };
}

/** For bodies and parameters: values are neither coerced nor removed. */
const bodies = createValidators(BODY_OPTIONS);

/** For query strings: "5" becomes 5, defaults are filled in, and numbers are clamped. */
const queries = createValidators({ ...BODY_OPTIONS, coerceTypes: true, useDefaults: true });
for (const ajv of [queries.first, queries.all]) {
  ajv.addKeyword({
    keyword: CLAMPED,
    type: 'number',
    schemaType: 'number',
    modifying: true,
    errors: false,
    validate: (max: number, value: number, _schema?: unknown, at?: DataValidationCxt) => {
      if (at && value > max) Reflect.set(at.parentData, at.parentDataProperty, max);
      return true;
    },
  });
}

function withFormats(ajv: Ajv2020): Ajv2020 {
  addFormats.default(ajv, ['email', 'uri']);
  ajv.addKeyword(SINCE);
  ajv.addFormat('uuid', UUID_PATTERN);
  // Requests may omit parts of a time.
  ajv.addFormat('date-time', (text) => readTime(text) !== undefined);
  ajv.addFormat('date', isDate);
  return ajv;
}

/** Message for a member that a schema does not know. */
export const UNKNOWN_FIELD = 'is not a known field';

/** Validation errors of a value. */
export interface ValidationIssues {
  readonly issues: readonly ValidationIssue[];
  /** Set if the search for errors stopped early. */
  readonly isTruncated?: boolean;
}

/** Checks a value against a schema. */
export type Check<T> = (value: unknown) => { readonly value: T } | ValidationIssues;

/**
 * Maximum number of members and items of a value for which all errors are collected. For a larger value only the first
 * is, because each of millions of members could have one.
 */
const MAX_EXAMINED = 10_000;

/** Compiles a JSON Schema into a check. It reports all errors of a value, or only the first of a very large one. */
export function compileCheck<S extends TSchema>(schema: S): Check<Static<S>> {
  return toCheck<Static<S>>(bodies, schema);
}

/**
 * Compiles the schema of something that people write into a check: null for an optional member is as good as its
 * absence, and removed from the value. A value without such nulls costs no more to check.
 */
export function compileLenientCheck<S extends TSchema>(schema: S): Check<Static<S>> {
  const check = compileCheck(schema);
  let remove: ReturnType<typeof compileNullRemoval> | 'unknown' = 'unknown';
  return (value) => {
    const result = check(value);
    if (!('issues' in result)) return result;
    if (remove === 'unknown') remove = compileNullRemoval(schema);
    const rest = remove ? remove(value) : value;
    return rest === value ? result : check(rest);
  };
}

/**
 * Compiles the schema of a body into a function that returns the body, or throws VALIDATION_FAILED with its errors.
 * Unknown members are errors if the schema has `additionalProperties: false`; null for an optional one is not an error.
 */
export function compileBody<S extends TSchema>(schema: S): (body: unknown) => Static<S> {
  return throwing(compileLenientCheck(schema));
}

/**
 * Copies an object with the spread first: V8 creates new hidden classes for members that are added to a copy, here by
 * defaults, and keeps them until a full collection.
 */
const NOTHING = {};

const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
]);

/**
 * Compiles the schema of a query string into a function that coerces values from text. It accepts unknown parameters,
 * which are checked before.
 */
export function compileQuery<S extends TObject>(schema: S): (query: Record<string, unknown>) => Static<S> {
  const check = toCheck<Static<S>>(queries, schema);
  const namesOfType = (type: string): string[] =>
    Object.entries(schema.properties).flatMap(([name, part]) =>
      isJsonObject(part) && part.type === type ? [name] : [],
    );
  const [booleans, integers, lists] = ['boolean', 'integer', 'array'].map(namesOfType);
  const parse = throwing((query: Record<string, unknown>) => {
    const result = check(query);
    // A caller that repeats a parameter, or separates its values by commas, does not know indexes.
    return 'issues' in result ? { ...result, issues: result.issues.map(withoutIndex) } : result;
  });
  return (query) => {
    const copy: Record<string, unknown> = { ...NOTHING, ...query };
    for (const name of integers ?? []) {
      const text = copy[name];
      // Numbers are coerced as JavaScript reads them: 0x10, 1e2, " 5" and the empty text, too.
      if (typeof text === 'string' && !/^-?\d+$/.test(text)) copy[name] = 'no integer';
    }
    for (const name of booleans ?? []) {
      const text = copy[name];
      if (typeof text === 'string') copy[name] = BOOLEANS.get(text.toLowerCase()) ?? 'no boolean';
    }
    for (const name of lists ?? []) {
      if (copy[name] !== undefined) copy[name] = [copy[name]].flat().flatMap(splitAtCommas);
    }
    return parse(copy);
  };
}

function splitAtCommas(value: unknown): unknown[] {
  return typeof value === 'string' ? value.split(',') : [value];
}

function withoutIndex({ path, message }: ValidationIssue): ValidationIssue {
  return { path: path.replace(/\[\d+\]$/, ''), message };
}

/**
 * Compiles the JSON Schema of an untrusted author (forms, inputs) at bounded cost. The cost of the check depends on the
 * schema (`estimateCheckCost`), so it must run on a thread that can be terminated, unless it is known to be cheap.
 * @param maxExamined number of members and items of a value up to which all errors are collected.
 * @returns errors of the schema itself, or a check.
 */
export function compileUntrusted(
  schema: object,
  maxExamined = MAX_EXAMINED,
): { check: Check<unknown> } | { issues: readonly ValidationIssue[] } {
  try {
    const issue = findSchemaIssue(schema);
    if (issue !== undefined) return { issues: [{ path: '', message: issue }] };
    const validators = {
      first: createUntrustedAjv({ allErrors: false }),
      all: createUntrustedAjv({ allErrors: true }),
    };
    validators.first.compile(schema);
    return { check: toCheck(validators, schema, maxExamined) };
  } catch (error) {
    return { issues: [{ path: '', message: error instanceof Error ? error.message : 'not a JSON Schema' }] };
  }
}

/** Compiles a schema on first use. Compiling all of them at once would be a sixth of the API's start. */
function whenNeeded<T>(ajv: Ajv2020, schema: object): () => ValidateFunction<T> {
  let compiled: ValidateFunction<T> | undefined;
  return () => (compiled ??= ajv.compile<T>(schema));
}

function toCheck<T>({ first, all }: Validators, schema: object, maxExamined = MAX_EXAMINED): Check<T> {
  const [validate, examine] = [whenNeeded<T>(first, schema), whenNeeded<T>(all, schema)];
  return (value) => {
    const isValid = validate();
    if (isValid(value)) return { value };
    if (isLargerThan(value, maxExamined)) return { issues: issuesOf(isValid), isTruncated: true };
    const findAll = examine();
    findAll(value);
    return { issues: issuesOf(findAll) };
  };
}

function issuesOf({ errors }: ValidateFunction): ValidationIssue[] {
  return (errors ?? []).filter(isOwn).map(toIssue);
}

/** Returns true if a value has more members and items than `count`, at any depth. Stops counting there. */
function isLargerThan(value: unknown, max: number): boolean {
  let count = 0;
  const isPast = (part: unknown): boolean => {
    if (typeof part !== 'object' || part === null) return false;
    if (Array.isArray(part) && part.length > max) return true;
    for (const key in part) {
      count += 1;
      if (count > max || isPast(Reflect.get(part, key))) return true;
    }
    return false;
  };
  return isPast(value);
}

function throwing<T, V>(check: (value: V) => ReturnType<Check<T>>): (value: V) => T {
  return (value) => {
    const result = check(value);
    if ('issues' in result) throw validationFailed(result.issues, result.isTruncated);
    return result.value;
  };
}

/** An error of `if` or `anyOf` only says that branches failed, whose errors are reported themselves. */
function isOwn(error: ErrorObject): boolean {
  return error.keyword !== 'if' && error.keyword !== 'anyOf';
}

/** Descriptions of patterns that people should not have to read. */
const MEANINGS: ReadonlyMap<string, string> = new Map([[SCOPE_PATTERN, SCOPES_IN_WORDS]]);

function toIssue(error: ErrorObject): ValidationIssue {
  const path = pointerToPath(error.instancePath);
  switch (error.keyword) {
    case 'additionalProperties':
      return { path: join(path, String(error.params.additionalProperty)), message: UNKNOWN_FIELD };
    case 'required':
      return { path: join(path, String(error.params.missingProperty)), message: 'is required' };
    case 'enum':
      return { path, message: `must be one of ${(error.params.allowedValues as unknown[]).join(', ')}` };
    case 'const':
      return { path, message: `must be ${JSON.stringify(error.params.allowedValue)}` };
    case 'pattern':
      return { path, message: MEANINGS.get(String(error.params.pattern)) ?? error.message ?? 'is not valid' };
    default:
      return { path, message: error.message ?? 'is not valid' };
  }
}

/** Converts a JSON Pointer (RFC 6901) to a readable path: `/nodes/2/id` → `nodes[2].id`. */
export function pointerToPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : join(path, part)), '');
}

function join(path: string, member: string): string {
  return path === '' ? member : `${path}.${member}`;
}

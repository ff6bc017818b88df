import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Static, TSchema } from 'typebox';
import { type Fault, validationFailed } from './errors.js';
import { isTime, UUID_PATTERN } from './formats.js';

const BODY_OPTIONS = { allErrors: true, strict: true, strictTypes: false, allowUnionTypes: true } as const;

/** Bodies and parameters: nothing is coerced, nothing is removed. */
const bodies = withFormats(new Ajv2020(BODY_OPTIONS));

/** Query strings: "5" becomes 5, "true" becomes true, defaults are filled in. */
const queries = withFormats(new Ajv2020({ ...BODY_OPTIONS, coerceTypes: true, useDefaults: true }));

function withFormats(ajv: Ajv2020): Ajv2020 {
  addFormats.default(ajv, ['email', 'uri']);
  ajv.addFormat('uuid', UUID_PATTERN);
  ajv.addFormat('date-time', isTime);
  return ajv;
}

/** The message of a fault about a member that a schema does not know. */
export const UNKNOWN_FIELD = 'is not a known field';

/** Checks a value against one schema: its faults, none when it is valid. */
export type Check<T> = (value: unknown) => { readonly value: T } | { readonly faults: readonly Fault[] };

/** Makes a check of a JSON Schema that reports every fault at once. */
export function compileCheck<S extends TSchema>(schema: S): Check<Static<S>> {
  return toCheck(whenNeeded<Static<S>>(bodies, schema));
}

/**
 * Makes a check of a schema for a request's body: what it returns throws VALIDATION_FAILED with every fault.
 * Unknown members are faults where the schema says `additionalProperties: false`.
 */
export function compileBody<S extends TSchema>(schema: S): (body: unknown) => Static<S> {
  return throwing(compileCheck(schema));
}

/**
 * Spread first: V8 makes hidden classes anew for whatever is added to a copy, here by defaults, and keeps them until a
 * full collection.
 */
const NOTHING = {};

/** Makes a check of a schema for a query string: values are coerced from text, unknown parameters ignored. */
export function compileQuery<S extends TSchema>(schema: S): (query: Record<string, unknown>) => Static<S> {
  const parse = throwing(toCheck(whenNeeded<Static<S>>(queries, schema)));
  return (query) => parse({ ...NOTHING, ...query });
}

/**
 * Validates any JSON Schema given by a user (forms of human nodes).
 * @returns faults of the schema itself, or a check.
 */
export function compileUntrusted(schema: object): { check: Check<unknown> } | { faults: readonly Fault[] } {
  try {
    const ajv = withFormats(new Ajv2020({ allErrors: true, strict: false }));
    const validate = ajv.compile(schema);
    return { check: toCheck(() => validate) };
  } catch (error) {
    return { faults: [{ path: '', message: error instanceof Error ? error.message : 'not a JSON Schema' }] };
  }
}

/** Compiles a schema once it is asked for: all of them together would be a sixth of the API's start. */
function whenNeeded<T>(ajv: Ajv2020, schema: TSchema): () => ValidateFunction<T> {
  let compiled: ValidateFunction<T> | undefined;
  return () => (compiled ??= ajv.compile<T>(schema));
}

function toCheck<T>(validator: () => ValidateFunction<T>): Check<T> {
  return (value) => {
    const validate = validator();
    return validate(value) ? { value } : { faults: (validate.errors ?? []).filter(isOwn).map(toFault) };
  };
}

function throwing<T>(check: Check<T>): (value: unknown) => T {
  return (value) => {
    const result = check(value);
    if ('faults' in result) throw validationFailed(result.faults);
    return result.value;
  };
}

/** `if` only says that one of its branches failed, which is reported by itself. */
function isOwn(error: ErrorObject): boolean {
  return error.keyword !== 'if';
}

function toFault(error: ErrorObject): Fault {
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
    default:
      return { path, message: error.message ?? 'is not valid' };
  }
}

/** Turns a JSON Pointer (RFC 6901) into the path people write: `/nodes/2/id` → `nodes[2].id`. */
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

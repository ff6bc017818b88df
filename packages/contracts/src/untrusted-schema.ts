import { Ajv2020 } from 'ajv/dist/2020.js';
import type { RegExpEngine, SchemaValidateFunction } from 'ajv/dist/types/index.js';
import { RE2JS } from 're2js';
import { FILE_KEYWORD, fileIssue, fileRuleOf } from './file-field.ts';
import { isDate, isTime, UUID_PATTERN } from './formats.ts';
import { isJsonObject, type JsonValue } from './json.ts';
import { estimatePatternSize } from './pattern-size.ts';
import { isEmail, isUri } from './text-formats.ts';

/** Maximum number of objects in a schema, and their maximum nesting: compiling is not linear. */
const MAX_PARTS = 500;
const MAX_DEPTH = 50;
/** Maximum number of members and items in a schema, including those of enums and defaults. */
const MAX_VALUES = 10_000;
/** Maximum length of a pattern in characters, and maximum size of its compiled program in instructions. */
const MAX_PATTERN_LENGTH = 1_000;
const MAX_PROGRAM_SIZE = 2_000;
/** Maximum size of all compiled patterns of a schema together. */
const MAX_PROGRAMS_SIZE = 20_000;
/** Number of matched characters after which the caches of a pattern are dropped. They can grow to 8 MB each. */
const MAX_CACHED_CHARS = 65_536;

/**
 * Creates a compiler for the patterns of one schema. It uses re2js, whose matching takes linear time for every pattern.
 * It throws an Error for a pattern that is too large, alone or with the others, or that re2js does not support
 * (lookaround, back references).
 */
function createPatternEngine(): RegExpEngine {
  let left = MAX_PROGRAMS_SIZE;
  const compilePattern = (pattern: string) => {
    const size = pattern.length > MAX_PATTERN_LENGTH ? Infinity : estimatePatternSize(pattern);
    if (size > MAX_PROGRAM_SIZE) throw new Error('a pattern is too large');
    left -= size;
    if (left < 0) throw new Error('its patterns are too large');
    const expression = compileLinear(pattern);
    let scanned = 0;
    return {
      // Ajv distinguishes patterns by it.
      toString: () => pattern,
      test(text: string) {
        scanned += text.length;
        if (scanned > MAX_CACHED_CHARS) {
          expression.reset();
          scanned = text.length;
        }
        return expression.test(text);
      },
    };
  };
  // Only used in standalone code, which Ajv does not write here.
  return Object.assign(compilePattern, { code: 'compilePattern' });
}

function compileLinear(pattern: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'not supported';
    throw new Error(`a pattern cannot be used: ${reason} (no lookaround, no back references)`, { cause: error });
  }
}

/** Returns true if a schema may have a pattern, unless it is too large. */
export function isUsablePattern(pattern: string): boolean {
  try {
    compileLinear(pattern);
    return true;
  } catch {
    return false;
  }
}

/** Validates schemas against the meta-schema, which takes longest to compile and is the same for all. */
const metaSchema = new Ajv2020({ strict: false });

/**
 * Returns why a schema cannot be used: it is invalid, or too large or too deep to compile quickly.
 * @returns undefined if it can be compiled.
 * @throws Error for an unknown `$schema`.
 */
export function findSchemaIssue(schema: object): string | undefined {
  const excess = findExcess(schema);
  if (excess !== undefined) return excess;
  if (metaSchema.validateSchema(schema) === true) return undefined;
  return `schema is invalid: ${metaSchema.errorsText(metaSchema.errors, { dataVar: 'schema' })}`;
}

function findExcess(schema: object): string | undefined {
  let [parts, values] = [0, 0];
  let level: object[] = [schema];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return `nests deeper than ${MAX_DEPTH} levels`;
    parts += level.filter((value) => !Array.isArray(value)).length;
    if (parts > MAX_PARTS) return `has more than ${MAX_PARTS} parts`;
    const members = level.flatMap((value): unknown[] => Object.values(value));
    values += members.length;
    if (values > MAX_VALUES) return `has more than ${MAX_VALUES.toLocaleString('en')} values`;
    level = members.filter((value) => typeof value === 'object' && value !== null);
  }
  return undefined;
}

/** Steps of a pattern's instruction: one takes some 20 ns at worst, and a keyword some 2 ns for each character. */
const PATTERN_STEPS = 10;
/** Steps of `uniqueItems` for each character: each item is written as JSON with sorted members, some 200 ns. */
const UNIQUE_STEPS = 100;
/** Keywords whose effect another part of the schema, or of the data, decides. */
const UNBOUNDED = ['$id', '$dynamicRef', '$recursiveRef'];

/**
 * Returns an upper bound of the steps that a check against a schema takes for each character of the data as JSON. A
 * part of a schema without references is applied to each value at most once, and each of its keywords takes linear
 * time. A referenced part counts each time. The schema was accepted by `findSchemaIssue`.
 * @returns Infinity for a schema that refers to itself, or whose references are resolved otherwise.
 */
export function estimateCheckCost(schema: object): number {
  const costs = new Map<string, number>();
  return costOf(schema);

  function costOf(part: unknown): number {
    if (typeof part !== 'object' || part === null) return 1;
    let cost = 1;
    for (const [name, value] of Object.entries(part)) {
      // The id of the whole schema changes the base of all its references, and so of none.
      const isUnbounded = UNBOUNDED.includes(name) && typeof value === 'string';
      if (isUnbounded && !(name === '$id' && part === schema)) return Infinity;
      if (name === 'pattern' && typeof value === 'string') cost += PATTERN_STEPS * estimatePatternSize(value);
      else if (name === 'uniqueItems' && value === true) cost += UNIQUE_STEPS;
      else if (name === '$ref' && typeof value === 'string') cost += costOfTarget(value);
      else if (name === 'patternProperties' && isJsonObject(value))
        cost += Object.keys(value).reduce(
          (sum, pattern) => sum + PATTERN_STEPS * estimatePatternSize(pattern),
          costOf(value),
        );
      else cost += costOf(value);
    }
    return cost;
  }

  function costOfTarget(reference: string): number {
    const known = costs.get(reference);
    if (known !== undefined) return known;
    // A reference that is met again before its cost is known refers to itself.
    costs.set(reference, Infinity);
    const target = findTarget(schema, reference);
    const cost = target === undefined ? Infinity : costOf(target);
    costs.set(reference, cost);
    return cost;
  }
}

/** Follows the JSON pointer of a `$ref`. */
function findTarget(schema: unknown, reference: string): unknown {
  if (!reference.startsWith('#/') || reference.includes('%')) return undefined;
  let at = schema;
  for (const token of reference.slice(2).split('/')) {
    if (typeof at !== 'object' || at === null) return undefined;
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    at = Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined;
  }
  return at;
}

/**
 * Creates a validator for one schema of an untrusted author, which `findSchemaIssue` accepted. Each keyword takes
 * linear time, but combined references can take exponential time. So validation must run on a thread that can be
 * terminated.
 */
export function createUntrustedAjv(options: { allErrors: boolean }): Ajv2020 {
  const ajv = new Ajv2020({
    ...options,
    strict: false,
    meta: false,
    validateSchema: false,
    // Unknown formats are annotations: nothing is logged about them.
    logger: false,
    // Otherwise each reference would be another copy.
    inlineRefs: false,
    // A field may be named "constructor", which data without it have, too.
    ownProperties: true,
    code: { regExp: createPatternEngine() },
  });
  ajv.addFormat('email', isEmail);
  ajv.addFormat('uri', isUri);
  ajv.addFormat('uuid', UUID_PATTERN);
  ajv.addFormat('date', isDate);
  ajv.addFormat('date-time', isTime);
  // Ajv's own implementation compares every pair of items.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must not have the same item twice' },
    validate: (isWanted: boolean, items: readonly unknown[]) => !isWanted || areUnique(items),
  });
  ajv.addKeyword({ keyword: FILE_KEYWORD, validate: checkFile });
  return ajv;
}

/** Checks a value against the keyword `file`. Ajv reads the error from the function. */
const checkFile: SchemaValidateFunction = (keyword: JsonValue, value: unknown) => {
  const rule = fileRuleOf(keyword);
  const message = rule && fileIssue(rule, value);
  if (message === undefined) return true;
  checkFile.errors = [{ keyword: FILE_KEYWORD, message, params: {} }];
  return false;
};

function areUnique(items: readonly unknown[]): boolean {
  return new Set(items.map(canonical)).size === items.length;
}

/** Returns JSON with sorted members, so that equal values have equal text. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

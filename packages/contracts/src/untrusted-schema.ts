import { Ajv2020 } from 'ajv/dist/2020.js';
import type { RegExpEngine } from 'ajv/dist/types/index.js';
import addFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import { isTime, UUID_PATTERN } from './formats.js';
import { estimatePatternSize } from './pattern-size.js';

/** Schemas and other objects in one schema at most, and how deep they may nest: compiling is not linear. */
const PARTS_MAX = 500;
const DEPTH_MAX = 50;
/** Members and items in one schema at most, those of its `enum`s and defaults included. */
const VALUES_MAX = 10_000;
/** The longest pattern of a schema, in characters, and the largest program that it may compile to. */
const PATTERN_LENGTH_MAX = 1_000;
const PROGRAM_SIZE_MAX = 2_000;
/** The same of all patterns of one schema. */
const PROGRAMS_SIZE_MAX = 20_000;
/** After how many characters the caches of a pattern are dropped: they may grow with the text, up to 8 MB each. */
const CACHED_CHARS_MAX = 65_536;
/** The longest text that may be of a format, in characters: the formats are regular expressions of JavaScript. */
const FORMAT_CHARS_MAX = 10_000;

/**
 * Creates what compiles the patterns of one schema, with re2js: matching takes time in proportion to the text, whatever
 * the pattern. It throws an Error for a pattern that is too large, alone or with the others, or that re2js does not
 * know (lookaround, back references).
 */
function createPatternEngine(): RegExpEngine {
  let left = PROGRAMS_SIZE_MAX;
  const compilePattern = (pattern: string) => {
    const size = pattern.length > PATTERN_LENGTH_MAX ? Infinity : estimatePatternSize(pattern);
    if (size > PROGRAM_SIZE_MAX) throw new Error('a pattern is too large');
    left -= size;
    if (left < 0) throw new Error('its patterns are too large');
    const expression = compileLinear(pattern);
    let scanned = 0;
    return {
      // Ajv tells patterns apart by it.
      toString: () => pattern,
      test(text: string) {
        scanned += text.length;
        if (scanned > CACHED_CHARS_MAX) {
          expression.reset();
          scanned = text.length;
        }
        return expression.test(text);
      },
    };
  };
  // What stands in code that Ajv writes to a file; none of this is.
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

/** Holds schemas against the one of JSON Schema itself: what takes longest to compile, and is the same for all. */
const metaSchema = new Ajv2020({ strict: false });

/**
 * Says why a schema cannot be used: it is none, or so large or deep that compiling it would take long.
 * @returns undefined when it can be compiled.
 * @throws Error for a `$schema` that is not known.
 */
export function findSchemaFault(schema: object): string | undefined {
  const excess = findExcess(schema);
  if (excess !== undefined) return excess;
  if (metaSchema.validateSchema(schema) === true) return undefined;
  return `schema is invalid: ${metaSchema.errorsText(metaSchema.errors, { dataVar: 'schema' })}`;
}

function findExcess(schema: object): string | undefined {
  let [parts, values] = [0, 0];
  let level: object[] = [schema];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > DEPTH_MAX) return `nests deeper than ${DEPTH_MAX} levels`;
    parts += level.filter((value) => !Array.isArray(value)).length;
    if (parts > PARTS_MAX) return `has more than ${PARTS_MAX} parts`;
    const members = level.flatMap((value): unknown[] => Object.values(value));
    values += members.length;
    if (values > VALUES_MAX) return `has more than ${VALUES_MAX.toLocaleString('en')} values`;
    level = members.filter((value) => typeof value === 'object' && value !== null);
  }
  return undefined;
}

/**
 * Creates a validator for one schema whose author may wish it ill: `findSchemaFault` has found nothing in it. None of
 * its keywords takes more than linear time, but references make exponential what they are combined to: only on a thread
 * that can be ended may anything be validated.
 */
export function createUntrustedAjv(options: { allErrors: boolean }): Ajv2020 {
  const ajv = new Ajv2020({
    ...options,
    strict: false,
    meta: false,
    validateSchema: false,
    // Else each reference is another copy.
    inlineRefs: false,
    code: { regExp: createPatternEngine() },
  });
  addFormats.default(ajv, ['email', 'uri']);
  ajv.addFormat('uuid', UUID_PATTERN);
  ajv.addFormat('date-time', isTime);
  for (const name of ['email', 'uri']) {
    const test = testOf(ajv.formats[name]);
    ajv.addFormat(name, (text: string) => text.length <= FORMAT_CHARS_MAX && test(text));
  }
  // Ajv's own compares each item with each.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must not have the same item twice' },
    validate: (isWanted: boolean, items: readonly unknown[]) => !isWanted || areUnique(items),
  });
  return ajv;
}

function testOf(format: Ajv2020['formats'][string]): (text: string) => boolean {
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return (text) => format(text);
  throw new Error('a format is neither a pattern nor a function');
}

function areUnique(items: readonly unknown[]): boolean {
  return new Set(items.map(canonical)).size === items.length;
}

/** JSON with sorted members: the same for values that are equal. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

import { Ajv2020 } from 'ajv/dist/2020.js';
import type { RegExpEngine } from 'ajv/dist/types/index.js';
import addFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import { isTime, UUID_PATTERN } from './formats.js';
import { estimatePatternSize } from './pattern-size.js';

/** The longest pattern of a schema, in characters, and the largest program that it may compile to. */
const PATTERN_LENGTH_MAX = 1_000;
const PROGRAM_SIZE_MAX = 2_000;
/** After how many characters the caches of a pattern are dropped: they may grow with the text, up to 8 MB each. */
const CACHED_CHARS_MAX = 65_536;
/** The longest text that may be of a format, in characters: the formats are regular expressions of JavaScript. */
const FORMAT_CHARS_MAX = 10_000;

/**
 * Compiles patterns with re2js, in which matching takes time in proportion to the text, whatever the pattern.
 * @throws Error for a pattern that is too large, or that it does not know (lookaround, back references).
 */
const compilePattern: RegExpEngine = Object.assign(
  (pattern: string) => {
    if (pattern.length > PATTERN_LENGTH_MAX || estimatePatternSize(pattern) > PROGRAM_SIZE_MAX)
      throw new Error('a pattern is too large');
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
  },
  // What stands in code that Ajv writes to a file; none of this is.
  { code: 'compilePattern' },
);

function compileLinear(pattern: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'not supported';
    throw new Error(`a pattern cannot be used: ${reason} (no lookaround, no back references)`, { cause: error });
  }
}

/** Creates a validator for schemas whose author may wish it ill: none of its checks takes more than linear time. */
export function createUntrustedAjv(options: { allErrors: boolean }): Ajv2020 {
  const ajv = new Ajv2020({ ...options, strict: false, code: { regExp: compilePattern } });
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

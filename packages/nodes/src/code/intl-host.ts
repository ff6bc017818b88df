import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '@deckhand/contracts';

/** The language of a script that names none, and of one that names a language which the host does not know. */
const DEFAULT_LOCALE = 'en-US';
/** The longest request, in characters. */
const MAX_REQUEST = 1_000_000;
/** Formatters take memory outside the sandbox: so many may exist in a thread, and so many may a script create. */
const MAX_FORMATTERS = 100;
const MAX_CREATED = 1_000;
/** A number as text. Its exponent and its digits are bounded, because the host writes all of them. */
const NUMBER = /^(?:-?\d{1,400}(?:\.\d{1,400})?(?:e[+-]?\d{1,3})?|-?Infinity|NaN)$/;

/** Options of any class: `Intl` checks their values. */
type Options = Intl.DateTimeFormatOptions &
  Intl.NumberFormatOptions &
  Intl.CollatorOptions &
  Intl.PluralRulesOptions &
  Intl.RelativeTimeFormatOptions;

/** Calls a method of a formatter. @throws TypeError, RangeError as `Intl` does. */
type Formatter = (method: string, args: readonly JsonValue[]) => JsonValue | object;

const formatters = new Map<string, Formatter>();

/** The functions by which a script uses the host's `Intl`. */
export interface IntlHost {
  /** Takes `[class, locales, options, method, args]` as JSON. @returns `{ value }`, or `{ error, isRange }`, as JSON. */
  ask(request: string): string;
  /**
   * Compares two texts. Sorting asks often, so the texts are passed as they are. @param settings `[locales, options]` as
   * JSON. @returns the order, or an error as `ask` does.
   */
  compare(settings: string, a: string, b: string): number | string;
}

/**
 * Creates the functions for one script. Their results depend on nothing but the request and the data of the runtime:
 * the language is English and the zone UTC unless a script names others.
 */
export function createIntlHost(): IntlHost {
  let created = 0;
  const formatterOf = (key: string, create: () => Formatter): Formatter => {
    const known = formatters.get(key);
    if (known) return known;
    created += 1;
    if (created > MAX_CREATED) throw new RangeError(`a script may create ${MAX_CREATED} formatters`);
    if (formatters.size >= MAX_FORMATTERS) formatters.clear();
    const formatter = create();
    formatters.set(key, formatter);
    return formatter;
  };
  return {
    ask(request) {
      try {
        requireLength(request.length);
        const [type, locales, options, method, args] = readRequest(parseJson(request));
        const formatter = formatterOf(JSON.stringify([type, locales, options]), () =>
          createFormatter(type, localesOf(locales), options),
        );
        return JSON.stringify({ value: formatter(method, args) });
      } catch (error) {
        return errorOf(error);
      }
    },
    compare(settings, a, b) {
      try {
        requireLength(settings.length + a.length + b.length);
        // With a name that no key of `ask` begins with: formatters are shared by all scripts of the thread.
        const collator = formatterOf(`compare ${settings}`, () => {
          const [locales = null, options = null] = listOf(parseJson(settings));
          return createFormatter('Collator', localesOf(locales), optionsOf(options));
        });
        return Number(collator('compare', [a, b]));
      } catch (error) {
        return errorOf(error);
      }
    },
  };
}

function requireLength(characters: number): void {
  if (characters > MAX_REQUEST) throw new RangeError(`a text has more than ${MAX_REQUEST} characters`);
}

function errorOf(error: unknown): string {
  const isRange = error instanceof RangeError;
  return JSON.stringify({ error: error instanceof Error ? error.message : String(error), isRange });
}

function readRequest(request: JsonValue): [string, JsonValue, Options, string, readonly JsonValue[]] {
  const [type, locales = null, options, method, args] = listOf(request);
  return [textOf(type), locales, optionsOf(options ?? null), textOf(method), listOf(args ?? null)];
}

function listOf(value: JsonValue): readonly JsonValue[] {
  if (!Array.isArray(value)) throw new TypeError('a list is expected');
  return value;
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value !== 'string') throw new TypeError('a text is expected');
  return value;
}

function optionsOf(value: JsonValue): Options {
  const given = value ?? {};
  if (!isOptions(given)) throw new TypeError('options are an object of texts, numbers and booleans');
  return given;
}

function isOptions(value: JsonValue): value is JsonObject & Options {
  return isJsonObject(value) && Object.values(value).every((one) => typeof one !== 'object' || one === null);
}

/** Returns the languages in the order of preference. @throws RangeError for texts that are none. */
function localesOf(value: JsonValue): string[] {
  const named = value === null ? [] : (typeof value === 'string' ? [value] : listOf(value)).map(textOf);
  return [...Intl.DateTimeFormat.supportedLocalesOf(named), DEFAULT_LOCALE];
}

function createFormatter(type: string, locales: string[], options: Options): Formatter {
  switch (type) {
    case 'DateTimeFormat': {
      const format = new Intl.DateTimeFormat(locales, { timeZone: 'UTC', ...options });
      return methods(type, {
        format: (time) => format.format(timeOf(time)),
        formatToParts: (time) => format.formatToParts(timeOf(time)),
        formatRange: (from, to) => format.formatRange(timeOf(from), timeOf(to)),
        resolvedOptions: () => format.resolvedOptions(),
      });
    }
    case 'NumberFormat': {
      const format = new Intl.NumberFormat(locales, options);
      return methods(type, {
        format: (number) => format.format(numberOf(number)),
        formatToParts: (number) => format.formatToParts(numberOf(number)),
        resolvedOptions: () => format.resolvedOptions(),
      });
    }
    case 'Collator': {
      const collator = new Intl.Collator(locales, options);
      return methods(type, {
        compare: (a, b) => collator.compare(textOf(a), textOf(b)),
        resolvedOptions: () => collator.resolvedOptions(),
      });
    }
    case 'PluralRules': {
      const rules = new Intl.PluralRules(locales, options);
      return methods(type, {
        select: (number) => rules.select(Number(textOf(number))),
        resolvedOptions: () => rules.resolvedOptions(),
      });
    }
    case 'RelativeTimeFormat': {
      const format = new Intl.RelativeTimeFormat(locales, options);
      return methods(type, {
        format: (number, unit) => format.format(Number(textOf(number)), unitOf(unit)),
        resolvedOptions: () => format.resolvedOptions(),
      });
    }
    case 'String':
      return methods(type, {
        toLocaleUpperCase: (text) => textOf(text).toLocaleUpperCase(locales[0]),
        toLocaleLowerCase: (text) => textOf(text).toLocaleLowerCase(locales[0]),
      });
    default:
      throw new TypeError(`${type} is not supported`);
  }
}

type Method = (first: JsonValue | undefined, second: JsonValue | undefined) => JsonValue | object;

function methods(type: string, known: Readonly<Record<string, Method>>): Formatter {
  const byName = new Map(Object.entries(known));
  return (name, [first, second]) => {
    const method = byName.get(name);
    if (!method) throw new TypeError(`${type}.${name} is not supported`);
    return method(first, second);
  };
}

function timeOf(value: JsonValue | undefined): number {
  if (typeof value === 'number') return value;
  throw new RangeError('Invalid time value');
}

function numberOf(value: JsonValue | undefined): Intl.StringNumericLiteral {
  const text = textOf(value);
  if (isNumber(text)) return text;
  throw new RangeError('the number has too many digits');
}

function isNumber(text: string): text is Intl.StringNumericLiteral {
  return NUMBER.test(text);
}

const UNITS = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second'] as const;

function unitOf(value: JsonValue | undefined): (typeof UNITS)[number] {
  const unit = UNITS.find((one) => one === value || `${one}s` === value);
  if (unit === undefined) throw new RangeError('the unit is not known');
  return unit;
}

import { isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';

/** The language of a script that names none, or only such that the runtime does not have. */
const DEFAULT_LOCALE = 'en-US';
/** A number as text, and a BigInt with its suffix. Digits and exponents are bounded: the host writes all of them. */
const NUMBER = /^(?:[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:e[+-]?\d{1,3})?|-?Infinity|NaN)$/i;
const BIGINT = /^-?\d{1,400}n$/;
const DATE_FIELDS = ['weekday', 'year', 'month', 'day'];
const TIME_FIELDS = ['dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits'];
const DATE_DEFAULTS = { year: 'numeric', month: 'numeric', day: 'numeric' };
const TIME_DEFAULTS = { hour: 'numeric', minute: 'numeric', second: 'numeric' };
const UNITS = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second'] as const;
const KEYS = ['calendar', 'collation', 'currency', 'numberingSystem', 'timeZone', 'unit'] as const;

/** Calls a method of a formatter. @throws TypeError, RangeError as `Intl` does. */
export type Formatter = (method: string, args: readonly JsonValue[]) => unknown;

type Argument = JsonValue | undefined;
type Methods = Readonly<Record<string, (first: Argument, second: Argument) => unknown>>;

/** The classes whose languages a script can list. */
const LISTED = new Map<unknown, { supportedLocalesOf(locales: readonly string[], options?: object): string[] }>([
  ['DateTimeFormat', Intl.DateTimeFormat],
  ['NumberFormat', Intl.NumberFormat],
  ['Collator', Intl.Collator],
  ['PluralRules', Intl.PluralRules],
  ['RelativeTimeFormat', Intl.RelativeTimeFormat],
  ['ListFormat', Intl.ListFormat],
  ['DisplayNames', Intl.DisplayNames],
  ['Segmenter', Intl.Segmenter],
]);

/** The methods of each class, by name. */
const CLASSES = new Map<string, (locales: string[], options: JsonObject) => Methods>([
  ['DateTimeFormat', dateMethods],
  [
    'toLocaleString',
    (locales, options) => dateMethods(locales, withDefaults(options, { ...DATE_DEFAULTS, ...TIME_DEFAULTS })),
  ],
  ['toLocaleDateString', (locales, options) => dateMethods(locales, withDefaults(options, DATE_DEFAULTS))],
  ['toLocaleTimeString', (locales, options) => dateMethods(locales, withDefaults(options, TIME_DEFAULTS))],
  ['NumberFormat', numberMethods],
  ['Collator', collatorMethods],
  ['PluralRules', pluralMethods],
  ['RelativeTimeFormat', relativeTimeMethods],
  ['ListFormat', listMethods],
  ['DisplayNames', displayNameMethods],
  ['Segmenter', segmenterMethods],
  ['String', textMethods],
  ['Intl', intlMethods],
]);

/**
 * Creates a formatter. The classes, and the methods of each, are fixed lists. The machine's language and time zone have
 * no influence. @param settings `[class, locales, options]`, where options are texts, numbers and booleans.
 * @throws TypeError, RangeError as `Intl` does.
 */
export function createFormatter(settings: JsonValue): Formatter {
  const [type, locales = null, options = null] = listOf(settings);
  const methodsOf = CLASSES.get(textOf(type));
  if (!methodsOf) throw new TypeError(`${textOf(type)} is not available in scripts`);
  if (!isJsonObject(options)) throw new TypeError('the options are not an object');
  const methods = new Map(Object.entries(methodsOf(listOf(locales).map(textOf), options)));
  return (name, [first, second]) => {
    const method = methods.get(name);
    if (!method) throw new TypeError(`${textOf(type)}.${name} is not available in scripts`);
    return method(first, second);
  };
}

function dateMethods(locales: string[], options: JsonObject): Methods {
  const format = new Intl.DateTimeFormat(...argumentsOf(Intl.DateTimeFormat, locales, { timeZone: 'UTC', ...options }));
  return {
    format: (time) => format.format(timeOf(time)),
    formatToParts: (time) => format.formatToParts(timeOf(time)),
    formatRange: (from, to) => format.formatRange(timeOf(from), timeOf(to)),
    formatRangeToParts: (from, to) => format.formatRangeToParts(timeOf(from), timeOf(to)),
    resolvedOptions: () => format.resolvedOptions(),
  };
}

/** Adds the fields that a method of dates shows unless the script names some. */
function withDefaults(options: JsonObject, defaults: JsonObject): JsonObject {
  const [showsDate, showsTime] = ['year' in defaults, 'hour' in defaults];
  const unfit = showsDate ? 'timeStyle' : 'dateStyle';
  if (showsDate !== showsTime && unfit in options) throw new TypeError(`Invalid option : ${unfit}`);
  const fields = [...(showsDate ? DATE_FIELDS : []), ...(showsTime ? TIME_FIELDS : []), 'dateStyle', 'timeStyle'];
  return fields.some((field) => field in options) ? options : { ...options, ...defaults };
}

function numberMethods(locales: string[], options: JsonObject): Methods {
  const format = new Intl.NumberFormat(...argumentsOf(Intl.NumberFormat, locales, options));
  return {
    format: (number) => format.format(decimalOf(number)),
    formatToParts: (number) => format.formatToParts(decimalOf(number)),
    formatRange: (from, to) => format.formatRange(decimalOf(from), decimalOf(to)),
    formatRangeToParts: (from, to) => format.formatRangeToParts(decimalOf(from), decimalOf(to)),
    resolvedOptions: () => format.resolvedOptions(),
  };
}

function collatorMethods(locales: string[], options: JsonObject): Methods {
  const collator = new Intl.Collator(...argumentsOf(Intl.Collator, locales, options));
  return {
    compare: (a, b) => collator.compare(textOf(a), textOf(b)),
    resolvedOptions: () => collator.resolvedOptions(),
  };
}

function pluralMethods(locales: string[], options: JsonObject): Methods {
  const rules = new Intl.PluralRules(...argumentsOf(Intl.PluralRules, locales, options));
  return {
    select: (number) => rules.select(Number(textOf(number))),
    resolvedOptions: () => rules.resolvedOptions(),
  };
}

function relativeTimeMethods(locales: string[], options: JsonObject): Methods {
  const format = new Intl.RelativeTimeFormat(...argumentsOf(Intl.RelativeTimeFormat, locales, options));
  return {
    format: (number, unit) => format.format(Number(textOf(number)), unitOf(unit)),
    formatToParts: (number, unit) => format.formatToParts(Number(textOf(number)), unitOf(unit)),
    resolvedOptions: () => format.resolvedOptions(),
  };
}

function listMethods(locales: string[], options: JsonObject): Methods {
  const format = new Intl.ListFormat(...argumentsOf(Intl.ListFormat, locales, options));
  return {
    format: (members) => format.format(listOf(members).map(textOf)),
    formatToParts: (members) => format.formatToParts(listOf(members).map(textOf)),
    resolvedOptions: () => format.resolvedOptions(),
  };
}

function displayNameMethods(locales: string[], options: JsonObject): Methods {
  const names = new Intl.DisplayNames(...argumentsOf(Intl.DisplayNames, locales, options));
  return { of: (code) => names.of(textOf(code)), resolvedOptions: () => names.resolvedOptions() };
}

function segmenterMethods(locales: string[], options: JsonObject): Methods {
  const segmenter = new Intl.Segmenter(...argumentsOf(Intl.Segmenter, locales, options));
  const isByWord = segmenter.resolvedOptions().granularity === 'word';
  return {
    // The segments themselves would repeat the text: the script cuts it at these ends.
    segment: (text) => {
      const ends: number[] = [];
      let words = '';
      for (const { segment, index, isWordLike } of segmenter.segment(textOf(text))) {
        ends.push(index + segment.length);
        if (isByWord) words += isWordLike === true ? '1' : '0';
      }
      return { ends, words: isByWord ? words : null };
    },
    resolvedOptions: () => segmenter.resolvedOptions(),
  };
}

function textMethods(locales: string[]): Methods {
  const named = locales.length > 0 ? Intl.getCanonicalLocales(locales) : DEFAULT_LOCALE;
  return {
    toLocaleUpperCase: (text) => textOf(text).toLocaleUpperCase(named),
    toLocaleLowerCase: (text) => textOf(text).toLocaleLowerCase(named),
  };
}

function intlMethods(locales: string[], options: JsonObject): Methods {
  return {
    getCanonicalLocales: () => Intl.getCanonicalLocales(locales),
    supportedLocalesOf: (type) => LISTED.get(type)?.supportedLocalesOf(locales, options) ?? [],
    supportedValuesOf: (key) => Intl.supportedValuesOf(memberOf(KEYS, key)),
  };
}

interface IntlClass<T> {
  new (locales: string[], options: T): unknown;
  supportedLocalesOf(locales: string[]): string[];
}

/**
 * Returns the arguments of the constructor: the languages that the class has, then the default, because it would take
 * that of the machine; and the options, whose values the class checks.
 */
function argumentsOf<T>(type: IntlClass<T>, locales: string[], options: JsonObject): [string[], T] {
  if (!isOptionsOf(type, options)) throw new TypeError('the options are not texts, numbers and booleans');
  return [[...type.supportedLocalesOf(locales), DEFAULT_LOCALE], options];
}

function isOptionsOf<T>(_type: IntlClass<T>, options: JsonObject): options is JsonObject & T {
  return Object.values(options).every((value) => typeof value !== 'object');
}

function listOf(value: Argument): readonly JsonValue[] {
  if (!isList(value)) throw new TypeError('a list is expected');
  return value;
}

function isList(value: Argument): value is JsonValue[] {
  return Array.isArray(value);
}

function textOf(value: Argument): string {
  if (typeof value !== 'string') throw new TypeError('a text is expected');
  return value;
}

function timeOf(value: Argument): number {
  if (typeof value === 'number') return value;
  throw new RangeError('Invalid time value');
}

function decimalOf(value: Argument): Intl.StringNumericLiteral | bigint {
  const text = textOf(value);
  if (BIGINT.test(text)) return BigInt(text.slice(0, -1));
  if (isDecimal(text)) return text;
  throw new RangeError('the number has too many digits');
}

function isDecimal(text: string): text is Intl.StringNumericLiteral {
  return NUMBER.test(text);
}

function unitOf(value: Argument): (typeof UNITS)[number] {
  return memberOf(UNITS, typeof value === 'string' ? value.replace(/s$/, '') : value);
}

function memberOf<T extends string>(known: readonly T[], value: Argument): T {
  const found = known.find((one) => one === value);
  if (found === undefined) throw new RangeError(`Invalid value: ${textOf(value)}`);
  return found;
}

import { afterAll, describe, expect, it } from '@jest/globals';
import { script } from '../../../../tests/harness/scripts.ts';
import { createScriptRunner } from './runner.ts';

const runner = createScriptRunner({ threads: 1 });
afterAll(() => runner.close());

const LOCALES = ['en-US', 'en-GB', 'de', 'de-CH', 'fr', 'ja', 'ar-EG', 'hi', 'th-TH-u-nu-thai', 'sv', 'tr', 'zh-Hant'];
const TIMES = [0, -1, 1_768_519_800_000, 1_774_746_000_000, -62_135_596_800_000, 8.64e15];
const DATE_OPTIONS: Intl.DateTimeFormatOptions[] = [
  { timeZone: 'UTC' },
  { timeZone: 'Europe/Berlin', dateStyle: 'full', timeStyle: 'long' },
  { timeZone: 'America/St_Johns', hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
  { timeZone: 'Asia/Tokyo', weekday: 'long', month: 'long', day: 'numeric', era: 'short' },
  { timeZone: '+05:30', fractionalSecondDigits: 3, second: 'numeric', hour12: true },
];
const NUMBER_OPTIONS: Intl.NumberFormatOptions[] = [
  {},
  { style: 'currency', currency: 'EUR' },
  { style: 'currency', currency: 'JPY', currencyDisplay: 'name', currencySign: 'accounting' },
  { style: 'unit', unit: 'kilometer-per-hour', unitDisplay: 'long' },
  { notation: 'compact', compactDisplay: 'long', signDisplay: 'always' },
  { style: 'percent', minimumFractionDigits: 2, useGrouping: false },
  { maximumSignificantDigits: 3, roundingMode: 'floor' },
];
const NUMBERS = [0, -0, 1, 0.5, -1234.567, 1e21, 123_456_789.012_345, NaN, Infinity, -Infinity];
const TEXTS = [
  'z',
  'ä',
  'a',
  'Z',
  'A',
  'item 10',
  'item 9',
  'é',
  'e',
  'ı',
  'i',
  'co-op',
  'coop',
  'a\0b',
  'a\0c',
  '日',
  '',
];

/** Functions, options and values to compare. The text of a function runs in the sandbox, so it uses no other names. */
const OPERATIONS: Record<string, [(locale: string, options: object, value: never) => unknown, object[], unknown[]]> = {
  'Date.toLocaleString': [(l, o, t) => new Date(t).toLocaleString(l, o), DATE_OPTIONS, TIMES],
  'DateTimeFormat.format': [(l, o, t) => new Intl.DateTimeFormat(l, o).format(t), DATE_OPTIONS, TIMES],
  'DateTimeFormat.formatToParts': [(l, o, t) => new Intl.DateTimeFormat(l, o).formatToParts(t), DATE_OPTIONS, TIMES],
  'DateTimeFormat.formatRange': [(l, o, t) => new Intl.DateTimeFormat(l, o).formatRange(0, t), DATE_OPTIONS, TIMES],
  'DateTimeFormat.resolvedOptions': [(l, o) => new Intl.DateTimeFormat(l, o).resolvedOptions(), DATE_OPTIONS, [0]],
  'Date.toLocaleDateString': [
    (l, o, t) => new Date(t).toLocaleDateString(l, o),
    [{ timeZone: 'Asia/Tokyo' }, { timeZone: 'UTC', hour: 'numeric' }, { timeZone: 'UTC', dateStyle: 'medium' }],
    TIMES,
  ],
  'Date.toLocaleTimeString': [
    (l, o, t) => new Date(t).toLocaleTimeString(l, o),
    [{ timeZone: 'Asia/Tokyo' }, { timeZone: 'UTC', month: 'long' }, { timeZone: 'UTC', timeStyle: 'medium' }],
    TIMES,
  ],
  'Number.toLocaleString': [(l, o, n) => Number(n).toLocaleString(l, o), NUMBER_OPTIONS, NUMBERS.map(String)],
  'NumberFormat.format of text': [
    (l, o, n) => new Intl.NumberFormat(l, o).format(n),
    NUMBER_OPTIONS,
    ['12345678901234567890.5', ' 12 ', '0x10', '-0', '', 'x', '+1.', '.5', '1e400', true, null],
  ],
  'NumberFormat.formatToParts': [
    (l, o, n) => new Intl.NumberFormat(l, o).formatToParts(n),
    NUMBER_OPTIONS,
    [1_234.5, -1],
  ],
  'NumberFormat.resolvedOptions': [(l, o) => new Intl.NumberFormat(l, o).resolvedOptions(), NUMBER_OPTIONS, [0]],
  'BigInt.toLocaleString': [
    (l, o, n) => BigInt(n).toLocaleString(l, o),
    NUMBER_OPTIONS,
    ['-12345678901234567890', '7', '1' + '0'.repeat(350)],
  ],
  'Array.toLocaleString': [
    (l, o, n: number) => [n, null, [n, n], new Float64Array([n])].toLocaleString(l, o),
    NUMBER_OPTIONS,
    [1_234.5],
  ],
  localeCompare: [
    (l, o, t: string[]) => t.flatMap((a) => t.map((b) => Math.sign(a.localeCompare(b, l, o)))),
    [{}, { numeric: true }, { sensitivity: 'base' }, { ignorePunctuation: true, caseFirst: 'upper' }],
    [TEXTS],
  ],
  Collator: [
    (l, o, t: string[]) => [t.toSorted(new Intl.Collator(l, o).compare), new Intl.Collator(l, o).resolvedOptions()],
    [{}, { numeric: true }, { usage: 'search' }],
    [TEXTS],
  ],
  toLocaleUpperCase: [(l, _, t: string) => [t.toLocaleUpperCase(l), t.toLocaleLowerCase([l])], [{}], TEXTS],
  PluralRules: [
    (l, o, n) => new Intl.PluralRules(l, o).select(n),
    [{}, { type: 'ordinal' }, { minimumFractionDigits: 1 }],
    [0, 1, 2, 3, 5, 11, 21, 1.5],
  ],
  RelativeTimeFormat: [
    (l, o, n) => [
      new Intl.RelativeTimeFormat(l, o).format(n, 'days'),
      new Intl.RelativeTimeFormat(l, o).formatToParts(n, 'hour'),
    ],
    [{}, { numeric: 'auto' }, { style: 'narrow' }],
    [-1, 0, 1, 2.5],
  ],
  ListFormat: [
    (l, o, t) => [new Intl.ListFormat(l, o).format(t), new Intl.ListFormat(l, o).formatToParts(t)],
    [{}, { type: 'disjunction' }, { type: 'unit', style: 'narrow' }],
    [[], ['a'], ['a', 'b', 'c']],
  ],
  DisplayNames: [
    (l, o) =>
      ['DE', 'US', 'XX'].map((code) =>
        new Intl.DisplayNames(l, Object.assign({ type: 'region' as const }, o)).of(code),
      ),
    [{}, { style: 'short' }, { fallback: 'none' }],
    [0],
  ],
  Segmenter: [
    (l, o, t) => [
      Array.from(new Intl.Segmenter(l, o).segment(t)),
      [-1, 0, 3, 99].map((at) => new Intl.Segmenter(l, o).segment(t).containing(at) ?? null),
    ],
    [{}, { granularity: 'word' }, { granularity: 'sentence' }],
    ['Hello, wörld! 日本語です。 Yes.', '👩‍👩‍👧é', ''],
  ],
  'lists of what there is': [
    (l) => [
      Intl.getCanonicalLocales([l, 'EN-us']),
      Intl.NumberFormat.supportedLocalesOf([l, 'xx']),
      Intl.supportedValuesOf('timeZone').length,
    ],
    [{}],
    [0],
  ],
};

describe('a script has the results of the host', () => {
  it.each(Object.entries(OPERATIONS))(
    '%s',
    async (_name, [operation, options, values]) => {
      const cases = LOCALES.flatMap((locale) =>
        options.flatMap((one) => values.map((value) => [locale, one, value] as const)),
      );
      const expected: unknown = JSON.parse(
        JSON.stringify(cases.map(([locale, one, value]) => operation(locale, one, value as never))),
      );
      const source = `const operation = ${operation.toString()}; return $input.map((args) => operation(...args))`;
      const result = await runner.run(
        script(source, { timeoutMs: 60_000, names: { $input: JSON.parse(JSON.stringify(cases)) } }),
      );
      expect(result).toEqual({ kind: 'output', output: expected, console: [] });
    },
    90_000,
  );
});

describe('a script fails where the host fails', () => {
  it.each([
    () => new Date(0).toLocaleString('de', { timeZone: 'Mars/Base' }),
    () => new Date(0).toLocaleString('not a locale'),
    () => new Date(0).toLocaleDateString('de', { timeStyle: 'short' }),
    () => new Date(0).toLocaleTimeString('de', { dateStyle: 'short' }),
    () => new Intl.DateTimeFormat('de', { dateStyle: 'short', hour: 'numeric' }),
    () => new Intl.DateTimeFormat('de').format(NaN),
    () => new Intl.DateTimeFormat('de').format(8.64e15 + 1),
    () => (1).toLocaleString('de', { minimumFractionDigits: NaN }),
    () => (1).toLocaleString('de', { minimumFractionDigits: 1_000 }),
    () => (1).toLocaleString('de', { style: 'currency' }),
    () => (1).toLocaleString('de', { style: 'currency', currency: 'EURO' }),
    () => 'a'.localeCompare('b', 'de_DE'),
    () => 'a'.localeCompare('b', 'de', { sensitivity: Object('x') }),
    () => 'a'.toLocaleUpperCase('_'),
    () => new Intl.RelativeTimeFormat('de').format(Infinity, 'day'),
    () => new Intl.RelativeTimeFormat('de').format(1, Object('fortnight')),
    () => new Intl.ListFormat('de').format(Object([1])),
    () => new Intl.DisplayNames('de', { type: 'region' }).of('not a region'),
    () => new Intl.NumberFormat(Object([1])),
    () => Intl.getCanonicalLocales('_'),
    () => Intl.supportedValuesOf(Object('planets')),
    () => Reflect.apply(Intl.PluralRules, undefined, ['de']),
    () => Reflect.apply(Intl.PluralRules.prototype.select, {}, [1]),
  ])('%#: %s', async (operation) => {
    let expected = 'nothing was thrown';
    try {
      operation();
    } catch (error) {
      expected = error instanceof Error ? error.name : String(error);
    }
    expect(expected).toMatch(/^(Range|Type)Error$/);
    const source = `try { (${operation.toString()})(); } catch (error) { return error.name; }`;
    expect(await runner.run(script(source))).toEqual({ kind: 'output', output: expected, console: [] });
  });
});

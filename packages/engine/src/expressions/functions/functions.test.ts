import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@deckhand/contracts';
import { compileExpression, expressionFunctions, type ExpressionScope } from '../index.ts';
import { methods } from './catalogue.ts';

const scope: ExpressionScope = {
  trigger: {
    name: 'Ünïcode',
    items: [
      { n: 3, k: 'b' },
      { n: 1, k: 'a' },
      { n: 3, k: 'b' },
    ],
  },
  input: null,
  node: () => undefined,
  vars: {},
  execution: { id: 'e', mode: 'live' },
  now: () => '2026-11-20T08:15:30.250Z',
};

function valueOf(source: string): JsonValue {
  const compiled = compileExpression(source);
  if ('issue' in compiled) throw new Error(`${compiled.issue.message}: ${source}`);
  return compiled.expression.evaluate(scope);
}

describe('functions that JavaScript lacks, or that differ', () => {
  it.each<[string, JsonValue]>([
    ['$trigger.items.sum(i => i.n)', 7],
    ['[1, "2"].sum()', 3],
    ['[].sum()', 0],
    ['[3, 1, 3, "3"].unique()', [3, 1, '3']],
    ['$trigger.items.unique(i => i.k).map(i => i.n)', [3, 1]],
    ['[1, 2].first()', 1],
    ['[1, 2].last()', 2],
    ['[].last()', null],
    ['[10, 9, 1].sort()', [1, 10, 9]],
    ['[10, 9, 1].sort((a, b) => a - b)', [1, 9, 10]],
    ['$trigger.items.map(i => i.n).reverse()', [3, 1, 3]],
    ['["b", "a", "ä"].sort((a, b) => a.localeCompare(b))', ['a', 'ä', 'b']],
    ['base64Encode($trigger.name)', 'w5xuw69jb2Rl'],
    ['base64Decode(base64Encode($trigger.name))', 'Ünïcode'],
    ['encodeURIComponent("a b&ü")', 'a%20b%26%C3%BC'],
    ['decodeURIComponent("a%20b")', 'a b'],
    ['Object.fromEntries(Object.entries({ a: 1, b: 2 }).map(e => [e[0], e[1] * 2]))', { a: 2, b: 4 }],
    ['Object.hasOwn({ a: 1 }, "a")', true],
    ['"a" in { a: undefined }', true],
    ['JSON.parse("{\\"a\\": [1]}").a[0]', 1],
    ['JSON.stringify({ a: [1, undefined], b: undefined }, null, 2)', '{\n  "a": [\n    1,\n    null\n  ]\n}'],
    ['Math.max(...[1, 5, 3], 2)', 5],
    ['Math.PI > 3', true],
    ['"a-b".match(/(\\w)-(\\w)/)', ['a-b', 'a', 'b']],
    ['"a1b2".match(/\\d/g)', ['1', '2']],
    ['"abc".match(/x/)', null],
    [
      '"a1b2".matchAll(/([a-z])(\\d)/g)',
      [
        ['a1', 'a', '1'],
        ['b2', 'b', '2'],
      ],
    ],
    ['"2026-11-20".replace(/(?<y>\\d+)-(?<m>\\d+)/, "$<m>/$<y>")', '11/2026-20'],
    ['"abc".search(/c/)', 2],
    ['/^\\p{Lu}/u.test($trigger.name)', true],
  ])('%s', (source, value) => {
    expect(valueOf(source)).toEqual(value);
  });

  it.each([
    'base64Decode("_-8")',
    'decodeURIComponent("%")',
    'JSON.parse("{")',
    '(1).toFixed(101)',
    '"x".repeat(-1)',
    '[].reduce((a, b) => a)',
  ])('%s fails', (source) => {
    expect(() => valueOf(source)).toThrow('expression: ');
  });
});

describe('dates', () => {
  it.each<[string, JsonValue]>([
    ['date($now)', '2026-11-20T08:15:30.250Z'],
    ['date("2026-11-20")', '2026-11-20T00:00:00.000Z'],
    ['date("2026-11-20T08:15")', '2026-11-20T08:15:00.000Z'],
    ['date("2026-11-20T08:15:00+01:30")', '2026-11-20T06:45:00.000Z'],
    ['date("2026-11-20 08:15:00.5")', '2026-11-20T08:15:00.500Z'],
    ['date(0).getTime()', 0],
    ['Date.parse("2026-02-30")', null],
    ['date($now).plus(1, "month").minus(2, "days")', '2026-12-18T08:15:30.250Z'],
    ['date("2026-01-31").plus(1, "month")', '2026-02-28T00:00:00.000Z'],
    ['date("2024-02-29").plus(1, "year")', '2025-02-28T00:00:00.000Z'],
    ['date($now).plus(36, "hours")', '2026-11-21T20:15:30.250Z'],
    ['date("2026-11-22").diff(date("2026-11-20"), "days")', 2],
    ['date("2026-11-22").diff("2026-11-20", "hours")', 48],
    ['date("2026-11-22") - date("2026-11-21")', 86_400_000],
    ['date("2026-11-22") > date("2026-11-21")', true],
    ['date("2026-11-22") === date("2026-11-22T00:00Z")', true],
    ['date($now).startOf("week")', '2026-11-16T00:00:00.000Z'],
    ['date($now).startOf("month")', '2026-11-01T00:00:00.000Z'],
    ['date($now).startOf("hour")', '2026-11-20T08:00:00.000Z'],
    [
      '[date($now).year(), date($now).month(), date($now).day(), date($now).weekday(), date($now).hour()]',
      [2026, 11, 20, 5, 8],
    ],
    ['date($now).format("EEEE d MMMM yyyy, h:mm a")', 'Friday 20 November 2026, 8:15 AM'],
    ['date($now).format("yyyy-MM-dd\'T\'HH:mm:ss.SSS", "Europe/Berlin")', '2026-11-20T09:15:30.250'],
    ['date("2026-07-01").format("dd.MM.yy HH:mm", "America/New_York")', '30.06.26 20:00'],
    ['date($now).format("d. MMM, \'UTC\' H:mm é")', '20. Nov, UTC 8:15 é'],
    ['`${date($now)}`', '2026-11-20T08:15:30.250Z'],
    ['JSON.stringify({ at: date(0) })', '{"at":"1970-01-01T00:00:00.000Z"}'],
  ])('%s is %j', (source, value) => {
    expect(valueOf(source)).toEqual(value);
  });

  it.each([
    'date("tomorrow")',
    'date(null)',
    'date(1e20)',
    'date($now).plus(1e12, "years")',
    'date($now).plus(1, "moon")',
    'date($now).format("yyyy", "Mars/Base")',
    'date($now).format("YYYY-MM-DD")',
    'date($now).format("dd.MM.yyyy Uhr")',
    'date($now).format("ddd")',
  ])('%s fails', (source) => {
    expect(() => valueOf(source)).toThrow(/date|unit|zone/);
  });
});

describe('the catalogue', () => {
  it('describes each function once, by its name', () => {
    const names = expressionFunctions.map(({ type, name }) => `${type} ${name}`);
    expect(new Set(names).size).toBe(names.length);
    expect(
      expressionFunctions.every(({ doc, signature, name }) => doc.endsWith('.') && signature.startsWith(`${name}(`)),
    ).toBe(true);
  });

  it('has one kind of method for each name, as calls are compiled without knowing the value', () => {
    const kinds = new Map<string, string>();
    const tables: readonly Iterable<readonly [string, { readonly kind: string }]>[] = Object.values(methods);
    for (const table of tables) {
      for (const [name, { kind }] of table) {
        expect(kinds.get(name) ?? kind).toBe(kind);
        kinds.set(name, kind);
      }
    }
  });
});

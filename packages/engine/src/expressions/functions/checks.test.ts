import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@deckhand/contracts';
import { compileExpression, type ExpressionScope } from '../index.ts';

const scope: ExpressionScope = {
  trigger: { text: 'Ann', big: 'x'.repeat(1_000_000), list: ['a', 'B'], none: null },
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

// What every operation does with every kind of value is compared with n8n, which has the same, in its importer.
describe('conversions', () => {
  it.each<[string, JsonValue]>([
    ['convert.string({ a: [1] })', '{"a":[1]}'],
    ['convert.string(date($now))', '2026-11-20T08:15:30.250Z'],
    ['convert.string($trigger.none)', null],
    ['convert.string($trigger.missing)', null],
    ['convert.number("1e3")', 1_000],
    ['convert.number("")', 0],
    ['convert.boolean("FALSE")', false],
    ['convert.boolean(1)', true],
    [`convert.array("['a']")`, ['a']],
    ['convert.object("{}")', {}],
  ])('%s is %j', (source, value) => expect(valueOf(source)).toEqual(value));

  it.each(['convert.number("x")', 'convert.boolean("yes")', 'convert.array({})', 'convert.object("1")'])(
    '%s fails',
    (source) => expect(() => valueOf(source)).toThrow(/expected/),
  );
});

describe('checks', () => {
  it.each([
    'check.string($trigger.text, "equals", "Ann")',
    'check.string($trigger.text, "contains", "ANN", "ignoreCase")',
    'check.string($trigger.text, "regex", "/^a/i")',
    'check.string($trigger.missing, "equals", "")',
    'check.string(5, "startsWith", "5", "loose")',
    'check.number("5", "gt", 4, "loose")',
    'check.number("", "empty", null, "emptyIsNull")',
    'check.boolean("True", "true", null, "loose")',
    'check.boolean("no", "true", null, "loose", "truthy")',
    'check.dateTime($now, "after", "2026-11-20")',
    'check.dateTime(date($now), "equals", $now)',
    'check.string(date($now), "equals", $now)',
    'check.array($trigger.list, "contains", "b", "ignoreCase")',
    'check.array("[1, 2]", "lengthGt", 1, "loose")',
    'check.object({ a: 1 }, "notEmpty")',
    'check.any([], "empty")',
    'check.any($trigger.none, "notExists")',
  ])('%s is true', (source) => expect(valueOf(source)).toBe(true));

  it.each([
    ['check.string(5, "equals", "5")', 'expected text, not number'],
    ['check.string("5", "equals", 5)', 'expected text, not number'],
    ['check.number("x", "gt", 1, "loose")', 'expected a number, not a value of type string'],
    ['check.boolean(1, "exists")', 'expected a boolean, not number'],
    ['check.dateTime("tomorrow", "before", $now)', 'expected a date such as 2026-11-20T08:15:00Z'],
    ['check.array("a", "contains", "a", "loose")', 'expected an array, or JSON text of one'],
    ['check.object([1], "empty")', 'expected an object, or JSON text of one'],
    ['check.string("a", "regex", "(?=a)")', 'the regular expression cannot be used'],
    ['check.string("a", "is", "a")', 'check.string has the operations exists, notExists, empty'],
    ['check.any("a", "toString")', 'check.any has the operations'],
    ['check.string("a", "equals", "a", "Loose")', 'the options of a check are loose, ignoreCase'],
  ])('%s fails', (source, message) => expect(() => valueOf(source)).toThrow(message));

  it.each(['check', 'check.string', 'check.constructor("a")'])('%s cannot be compiled', (source) =>
    expect(compileExpression(source)).toHaveProperty('issue'),
  );

  it.each([
    '$trigger.list.map(() => $trigger.list.map(() => $trigger.list.map(() => check.string($trigger.big, "equals", $trigger.big, "ignoreCase"))))',
    '$trigger.big.split("").map(() => check.string($trigger.big, "contains", "xy"))',
    '$trigger.big.slice(0, 10000).split("").map(() => check.string("a", "regex", "(a{30}){30}"))',
  ])('%s exceeds the budget', (source) => {
    expect(() => valueOf(source)).toThrow(expect.objectContaining({ code: 'EXPRESSION_BUDGET' }));
  });
});

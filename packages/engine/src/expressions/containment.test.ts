import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@deckhand/contracts';
import { compileExpression, ExpressionError, type ExpressionScope } from './index.ts';

const hostile = JSON.parse(
  '{"__proto__":{"polluted":1},"constructor":"Ferrari","toString":"text","valueOf":1,"toJSON":"x","then":1,"length":3,"key":"__proto__","name":"constructor"}',
) as JsonValue;
const scope: ExpressionScope = {
  trigger: {
    hostile,
    list: [1, 2, 3],
    text: 'text',
    number: 5,
    big: 'x'.repeat(1_000_000),
    numbers: Array.from({ length: 300 }, (_, i) => i),
  },
  input: null,
  node: () => undefined,
  vars: { secret: 's' },
  execution: { id: 'e', mode: 'live' },
  now: () => '2026-11-20T08:15:00.000Z',
};

type Outcome = { readonly issue: string } | { readonly error: string } | { readonly value: JsonValue };

function attempt(source: string): Outcome {
  const compiled = compileExpression(source);
  if ('issue' in compiled) return { issue: compiled.issue.message };
  try {
    return { value: compiled.expression.evaluate(scope) };
  } catch (error) {
    if (error instanceof ExpressionError) return { error: error.code };
    throw error;
  }
}

const issues: readonly [what: string, source: string][] = [
  ['the prototype by name', '$trigger.__proto__'],
  ['the prototype by a literal key', '$trigger["__proto__"]'],
  ['the prototype by a template key', '$trigger[`__proto__`]'],
  ['the prototype spelt with an escape', '$trigger["\\u005f_proto__"]'],
  ['an identifier spelt with an escape', '$trigger.__pr\\u006fto__'],
  ['the constructor of text', '"".constructor'],
  ['the constructor of the constructor', '(0).constructor.constructor("return process")()'],
  ['the constructor by a literal key', '[]["constructor"]'],
  ['the prototype property', 'Number.prototype'],
  ['a namespace as a value', 'Math'],
  ['a function as a value', 'String'],
  ['the constructor of a namespace', 'Math.constructor'],
  ['the constructor of a function', 'parseInt.constructor("return 1")()'],
  ['Object.getPrototypeOf', 'Object.getPrototypeOf($trigger)'],
  ['Object.setPrototypeOf', 'Object.setPrototypeOf({}, null)'],
  ['Object.defineProperty', 'Object.defineProperty({}, "a", {})'],
  ['Object.assign', 'Object.assign({}, $trigger)'],
  ['Reflect', 'Reflect.ownKeys($trigger)'],
  ['Proxy', 'new Proxy({}, {})'],
  ['Function', 'Function("return 1")()'],
  ['eval', 'eval("1")'],
  ['globalThis', 'globalThis.process'],
  ['process', 'process.env.HOME'],
  ['require', 'require("fs")'],
  ['import()', 'import("fs")'],
  ['import.meta', 'import.meta.url'],
  ['this', 'this'],
  ['new', 'new Date()'],
  ['new of an expression', 'new ($trigger.a)()'],
  ['super', 'super.x'],
  ['a function', '(function () { return this })()'],
  ['an async arrow', '$trigger.list.map(async x => x)'],
  ['an arrow with statements', '$trigger.list.map(x => { return x })'],
  ['an arrow called at once', '(() => 1)()'],
  ['an arrow as a value', 'x => x'],
  ['an arrow in an object', '({ f: x => x })'],
  ['an arrow as a default', '$trigger.list.map((x = 1) => x)'],
  ['destructuring to the constructor', '$trigger.list.map(({ constructor }) => constructor)'],
  ['await', 'await 1'],
  ['yield', 'yield 1'],
  ['a tagged template', 'String.raw`x`'],
  ['a tagged template on a method', '"".concat`x`'],
  ['a getter', '({ get a() { return 1 } })'],
  ['a method in an object', '({ toString() { return "x" } })'],
  ['__proto__ in an object', '({ __proto__: null })'],
  ['__proto__ in quotes in an object', '({ "__proto__": {} })'],
  ['constructor in an object', '({ constructor: 1 })'],
  ['a known name computed in an object', '({ ["__proto__"]: 1 })'],
  ['assignment', '$trigger.a = 1'],
  ['assignment in an arrow', '$trigger.list.map(x => $vars.secret = x)'],
  ['increment', '$trigger.number++'],
  ['delete', 'delete $trigger.number'],
  ['void', 'void 0'],
  ['instanceof', '$trigger instanceof Object'],
  ['the comma', '(1, 2)'],
  ['a statement', '1; 2'],
  ['borrowing with call', '$trigger.list.map.call($trigger, x => x)'],
  ['borrowing with apply', '[].concat.apply([], [[1]])'],
  ['bind', '$trigger.list.map.bind(1)'],
  ['a method by a computed name', '$trigger.list["map"](x => x)'],
  ['calling data', '$trigger.hostile.then()'],
  ['__defineGetter__', '$trigger.__defineGetter__("a", x => x)'],
  ['__lookupGetter__', '$trigger.__lookupGetter__("__proto__")'],
  ['push', '$trigger.list.push(1)'],
  ['a private name', '$trigger.#x'],
  ['a BigInt', '10n ** 1000000n'],
  ['a class', 'class {}'],
  ['arguments', '$trigger.list.map(x => arguments)'],
  ['hiding a name', '$trigger.list.map($vars => $vars)'],
  ['a node id that is computed', '$nodes[$trigger.text].output'],
  ['a regular expression as a value', '[/a/]'],
  ['the source of a regular expression', '/a/.source'],
  ['the constructor of a regular expression', '/a/.constructor("x")'],
  ['exec of a regular expression', '/a/.exec("a")'],
  ['look-ahead', '/(?=a)/.test("a")'],
  ['back references', '/(a)\\1/.test("aa")'],
  ['a regular expression of millions of instructions', '/((a{100}){100}){100}/.test("a")'],
  ['a wide repetition', '/(abcdefghij{10}){900}/.test("a")'],
  ['deep parentheses', `${'('.repeat(4_000)}1${')'.repeat(4_000)}`],
  ['deep arrays', `${'['.repeat(4_000)}${']'.repeat(4_000)}`],
  ['deep negation', `${'!'.repeat(9_000)}1`],
  ['a long chain of sums', `1${'+1'.repeat(4_000)}`],
  ['a long chain of members', `$trigger${'.a'.repeat(4_000)}`],
  ['a source that is too long', `"${'x'.repeat(20_000)}"`],
];

const failures: readonly [what: string, source: string][] = [
  ['the prototype by a computed key', '$trigger["__pro" + "to__"]'],
  ['the prototype by a key from data', '$trigger[$trigger.hostile.key]'],
  ['the constructor by a key from data', '$trigger.list[$trigger.hostile.name]'],
  ['the constructor by an array as key', '$trigger[["constructor"]]'],
  ['the constructor joined from letters', '""[["con", "structor"].join("")]'],
  ['the prototype in parentheses', '$trigger[("__proto__")]'],
  ['a computed key of an object', '({ ["__pro" + "to__"]: { a: 1 } })'],
  ['an array as a computed key of an object', '({ [["__proto__"]]: 1 })'],
  ['Object.fromEntries with __proto__', 'Object.fromEntries([["__proto__", { a: 1 }]])'],
  ['Object.fromEntries with constructor', 'Object.fromEntries([["constructor", 1]])'],
  ['a method that the value lacks', '$trigger.number.map(x => x)'],
  ['in on text', '"length" in "text"'],
];

const budgets: readonly [what: string, source: string][] = [
  ['one long text', '"x".repeat(1e9)'],
  ['nested repeat', '"x".repeat(1e5).repeat(1e5)'],
  ['repeat without end', '"x".repeat(Infinity)'],
  ['padStart', '"x".padStart(1e9)'],
  ['padEnd in a loop', '$trigger.numbers.map(x => "x".padEnd(1e5))'],
  ['doubling an array', '$trigger.numbers.reduce(a => [...a, ...a], [1])'],
  ['doubling with concat', '$trigger.numbers.reduce(a => a.concat(a), [1])'],
  ['doubling by reference', '$trigger.numbers.reduce(a => [a, a], 1)'],
  ['doubling members by reference', '$trigger.numbers.reduce(a => ({ a, b: a }), 1)'],
  ['doubling text', '$trigger.numbers.reduce(a => a + a, "x")'],
  ['doubling with a template', '$trigger.numbers.reduce(a => `${a}${a}`, "x")'],
  ['doubling with join', '$trigger.numbers.reduce(a => [a, a].join(a), "xx")'],
  ['doubling with replaceAll', '$trigger.numbers.reduce(a => a.replaceAll("x", "xx"), "x")'],
  ['prefixes with replaceAll', '"x".repeat(1e5).replaceAll("x", "$`")'],
  ['suffixes with a regular expression', '"x".repeat(1e5).replace(/x/g, "$\'")'],
  ['text of a shared structure', 'String($trigger.numbers.reduce(a => [a, a], 1))'],
  ['flat of a shared structure', '$trigger.numbers.reduce(a => [a, a], []).flat(Infinity)'],
  ['JSON of a shared structure', 'JSON.stringify($trigger.numbers.reduce(a => [a, a], 1))'],
  ['many references to a large input', '$trigger.numbers.map(x => $trigger.big)'],
  ['joining a large input', '$trigger.numbers.map(x => $trigger.big).join()'],
  ['comparing with a shared structure', '$trigger.numbers.reduce(a => [a, a], 1) == "x"'],
  ['splitting into letters', '$trigger.big.split("").map(x => $trigger.big.split(""))'],
  ['spreading text', '$trigger.numbers.map(x => [...$trigger.big])'],
  ['keys of text', '$trigger.numbers.map(x => Object.keys($trigger.big))'],
  ['spreading text into objects', '({ ...$trigger.big })'],
  ['loops in loops', '$trigger.numbers.map(a => $trigger.numbers.map(b => $trigger.numbers.map(c => a * b * c)))'],
  ['sorting with a comparator in loops', '$trigger.numbers.map(a => $trigger.numbers.sort((x, y) => y - x))'],
  ['searching a large text again and again', '$trigger.numbers.map(x => $trigger.big.indexOf("y"))'],
  ['a search that is slow natively', '$trigger.big.lastIndexOf("y" + "x".repeat(1e5))'],
  ['matching a large text again and again', '$trigger.numbers.map(x => /x+y/.test($trigger.big))'],
  ['a pattern that rescans', '"a".repeat(1e5).match(/a.*b|a/g)'],
  ['including in arrays', '$trigger.numbers.map(a => $trigger.numbers.map(b => $trigger.numbers.includes(-1)))'],
  ['encoding', 'encodeURIComponent("\u{1F600}".repeat(1e6))'],
  ['deep data', '$trigger.numbers.flatMap(x => $trigger.numbers).slice(0, 5000).reduce(a => [a], 1)'],
  ['deep data as text', 'String($trigger.numbers.flatMap(x => $trigger.numbers).slice(0, 5000).reduce(a => [a], 1))'],
  ['deep JSON', 'JSON.parse("[".repeat(1e5) + "]".repeat(1e5))'],
];

const harmless: readonly [what: string, source: string, value: JsonValue][] = [
  ['an inherited name', '$trigger.toString', null],
  ['an inherited name of a list', '$trigger.list["push"]', null],
  ['an inherited name by a computed key', '$trigger["has" + "OwnProperty"]', null],
  ['toString in data', '$trigger.hostile.toString', 'text'],
  ['converting data with its own toString', '"" + $trigger.hostile', '[object Object]'],
  ['calculating with data that has its own valueOf', '$trigger.hostile * 1', null],
  ['comparing data that has its own valueOf', '$trigger.hostile == 1', false],
  ['data with its own toJSON', 'JSON.stringify({ a: { toJSON: 1 } })', '{"a":{"toJSON":1}}'],
  ['data with its own length', '$trigger.hostile.length', 3],
  ['asking whether __proto__ is there', '"__proto__" in $trigger.hostile', false],
  ['asking whether an inherited name is there', '"toString" in {}', false],
  ['hasOwnProperty of a forbidden name', '$trigger.hostile.hasOwnProperty("constructor")', false],
  ['keys without __proto__', 'Object.keys($trigger.hostile).includes("__proto__")', false],
  ['spreading an own __proto__', 'Object.keys({ ...$trigger.hostile }).length', 8],
  ['parsing __proto__', 'JSON.parse("{\\"__proto__\\": {\\"a\\": 1}, \\"b\\": 2}")', { b: 2 }],
  ['parsing an escaped __proto__', 'JSON.parse("{\\"\\\\u005f_proto__\\": {\\"a\\": 1}}")', {}],
  ['an inconsistent comparator', '[3, 1, 2].sort((a, b) => NaN).length', 3],
  ['a regular expression that backtracks elsewhere', '/^(x+x+)+y$/.test("x".repeat(2000))', false],
  ['a template with the prototype', '`${{}}`', '[object Object]'],
  ['typeof a name of the scope', 'typeof $trigger', 'object'],
];

describe('an expression cannot leave its sandbox', () => {
  it.each(issues)('%s is an issue when it is compiled', (_what, source) => {
    expect(attempt(source)).toHaveProperty('issue');
  });

  it.each(failures)('%s fails the evaluation', (_what, source) => {
    expect(attempt(source)).toEqual({ error: 'EXPRESSION_FAILED' });
  });

  it.each(budgets)('%s ends at the budget', (_what, source) => {
    expect(attempt(source)).toEqual({ error: 'EXPRESSION_BUDGET' });
  });

  it.each(harmless)('%s is harmless', (_what, source, value) => {
    expect(attempt(source)).toEqual({ value });
  });

  it('nothing was polluted by all that', () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect('polluted' in {}).toBe(false);
    expect([].length).toBe(0);
  });
});

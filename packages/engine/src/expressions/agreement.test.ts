import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@deckhand/contracts';
import fc from 'fast-check';
import { compileExpression, ExpressionError, type ExpressionScope } from './index.ts';

const trigger = {
  a: 1,
  b: 'text',
  c: null,
  d: [3, 'x', null, [1, 2], 10],
  e: { a: true, length: 'own', f: { a: [] } },
  g: -0.5,
  h: '',
};

const scope: ExpressionScope = {
  trigger,
  input: [1, 2, 3],
  node: () => undefined,
  vars: {},
  execution: { id: 'e', mode: 'live' },
  now: () => '2026-11-20T08:15:00.000Z',
};

type Outcome = { readonly threw: true } | { readonly value: unknown } | { readonly overBudget: true };

function inJavaScript(source: string): Outcome {
  try {
    // oxlint-disable-next-line typescript/no-implied-eval -- what JavaScript makes of the source is the reference
    const evaluate: unknown = new Function('$trigger', '$input', `"use strict"; return (${source});`);
    const value: unknown =
      typeof evaluate === 'function' ? Reflect.apply(evaluate, undefined, [trigger, scope.input]) : undefined;
    const json: unknown = value === undefined ? null : JSON.parse(JSON.stringify(value));
    return { value: json };
  } catch {
    return { threw: true };
  }
}

function inOurs(source: string): Outcome {
  const compiled = compileExpression(source);
  if ('issue' in compiled) throw new Error(`${compiled.issue.message} in ${source}`);
  try {
    return { value: compiled.expression.evaluate(scope) };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return error.code === 'EXPRESSION_BUDGET' ? { overBudget: true } : { threw: true };
  }
}

const text = fc.stringMatching(/^[a-cxX1 ,.$&-]{0,6}$/).map((value) => JSON.stringify(value));
const number = fc
  .oneof(fc.integer({ min: -3, max: 12 }), fc.constantFrom(0.1, 1.5, -2.25, 1e21, NaN))
  .map((value) => `(${value})`);
const path = fc.constantFrom(
  '$trigger.a',
  '$trigger.b',
  '$trigger.c',
  '$trigger.d',
  '$trigger.e',
  '$trigger.e.f',
  '$trigger.g',
  '$trigger.h',
  '$trigger.missing',
  '$input',
  '$trigger',
);
const atom = fc.oneof(text, number, path, fc.constantFrom('true', 'false', 'null', 'undefined', 'Infinity'));
const key = fc.constantFrom('a', 'b', 'length', 'f');

const binaryOperators = [
  '+',
  '-',
  '*',
  '/',
  '%',
  '**',
  '==',
  '!=',
  '===',
  '!==',
  '<',
  '<=',
  '>',
  '>=',
  '&',
  '|',
  '^',
  '<<',
  '>>',
  '>>>',
  'in',
  '&&',
  '||',
];
const search = fc.oneof(
  text,
  fc.constantFrom('/[ab]/', '/x/gi', '/(.)(\\d)?/g', '/\\s*,\\s*/', '/^/m', '/(?:)/g', '/(?<name>[a-c])/g'),
);
const replacement = fc.oneof(
  text,
  fc.constantFrom('"[$&]"', '"$1"', '"$$"', '"$`"', '"$\'"', '"$<name>"', '"$0$2"', '"$10"'),
);

const { any } = fc.letrec<{ any: string; string: string; list: string }>((tie) => {
  const any = tie('any');
  const string = tie('string');
  const list = tie('list');
  const inArrow = fc.oneof(
    any,
    fc.constantFrom('x', 'x?.a', 'i', 'x + i', '[x]', '({ x, i })', 'typeof x', 'x === 3', '[x, [i]]'),
  );
  return {
    any: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      atom,
      fc.tuple(any, fc.constantFrom(...binaryOperators), any).map(([a, op, b]) => `((${a}) ${op} (${b}))`),
      fc.tuple(any, any).map(([a, b]) => `((${a}) ?? (${b}))`),
      fc.tuple(fc.constantFrom('!', '-', '+', '~', 'typeof '), any).map(([op, a]) => `(${op}(${a}))`),
      fc.tuple(any, any, any).map(([a, b, c]) => `((${a}) ? (${b}) : (${c}))`),
      fc.tuple(any, key).map(([a, name]) => `(${a}).${name}`),
      fc.tuple(any, key, key).map(([a, name, last]) => `(${a})?.${name}.${last}`),
      fc
        .tuple(any, any)
        .map(([a, b]) => `(${a})[(${b}) === "constructor" ? 0 : typeof (${b}) === "number" ? (${b}) : "a"]`),
      fc.tuple(key, any, any).map(([name, a, b]) => `({ ${name}: (${a}), ...(${b}) })`),
      fc.tuple(any, any).map(([a, b]) => `({ ["k" + (${a})]: (${b}) })`),
      fc.tuple(any, any).map(([a, b]) => `\`<\${${a}}|\${${b}}>\``),
      fc
        .tuple(
          fc.constantFrom(
            'Math.round',
            'Math.abs',
            'Math.max',
            'String',
            'Number',
            'Boolean',
            'parseFloat',
            'parseInt',
            'isNaN',
            'Array.isArray',
            'Object.keys',
            'Object.values',
            'Object.entries',
            'JSON.stringify',
            'Number.isInteger',
          ),
          any,
        )
        .map(([name, a]) => `${name}(${a})`),
      string,
      list,
      fc
        .tuple(list, inArrow, fc.constantFrom('find', 'findIndex', 'findLast', 'some', 'every'))
        .map(([l, body, name]) => `${l}.${name}((x, i) => ${body})`),
      fc.tuple(list, any).map(([l, start]) => `${l}.reduce((sum, x, i) => [sum, x, i], (${start}))`),
      fc
        .tuple(list, any, fc.constantFrom('includes', 'indexOf', 'lastIndexOf'))
        .map(([l, a, name]) => `${l}.${name}(${a})`),
      fc
        .tuple(
          string,
          any,
          fc.constantFrom('includes', 'indexOf', 'startsWith', 'endsWith', 'lastIndexOf', 'charCodeAt', 'at'),
        )
        .map(([s, a, name]) => `${s}.${name}(${a})`),
      fc
        .tuple(string, fc.constantFrom('/[ab]/', '/x/gi', '/(.)(\\d)?/g'))
        .map(([s, re]) => `[...(${s}.match(${re}) ?? [])]`),
      fc.tuple(string, fc.constantFrom('/[ab]/', '/x/i', '/^.$/')).map(([s, re]) => `${re}.test(${s})`),
    ),
    string: fc.oneof(
      { depthSize: 'small' },
      text,
      fc
        .tuple(
          string,
          fc.constantFrom(
            'toUpperCase()',
            'trim()',
            'trimEnd()',
            'slice(1)',
            'slice(-2, 5)',
            'substring(2, 0)',
            'padStart(5, "ab")',
            'padEnd(4)',
            'repeat(2)',
            'charAt(1)',
            'toString()',
          ),
        )
        .map(([s, call]) => `${s}.${call}`),
      fc
        .tuple(string, search, replacement, fc.constantFrom('replace', 'replaceAll'))
        .map(([s, a, b, name]) => `${s}.${name}(${a}, ${b})`),
      fc.tuple(string, any).map(([s, a]) => `${s}.concat(${a})`),
      fc.tuple(list, text).map(([l, separator]) => `${l}.join(${separator})`),
      fc
        .tuple(number, fc.constantFrom('toFixed(2)', 'toFixed(0)', 'toString()', 'toString(16)', 'toPrecision(3)'))
        .map(([n, call]) => `${n}.${call}`),
    ),
    list: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom('$trigger.d', '$input', '[]'),
      fc.tuple(any, any).map(([a, b]) => `[(${a}), (${b})]`),
      fc.tuple(list, any).map(([l, a]) => `[...${l}, (${a})]`),
      fc
        .tuple(list, inArrow, fc.constantFrom('map', 'filter', 'flatMap'))
        .map(([l, body, name]) => `${l}.${name}((x, i) => ${body})`),
      fc
        .tuple(
          list,
          fc.constantFrom('slice(1)', 'slice(-2, -1)', 'flat()', 'flat(2)', 'concat([1], 2)', 'toReversed()'),
        )
        .map(([l, call]) => `${l}.${call.replace('toReversed', 'slice().reverse')}`),
      list.map((l) => `${l}.slice().sort()`),
      fc.tuple(string, search).map(([s, separator]) => `${s}.split(${separator})`),
      string.map((s) => `[...${s}]`),
    ),
  };
});

const fragments = [
  '$trigger',
  '$input',
  '$nodes',
  '$vars',
  '.a',
  '?.b',
  '["a"]',
  '[0]',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '+',
  '-',
  '=>',
  'x',
  ',',
  '?',
  ':',
  '...',
  '`',
  '${',
  '"',
  "'",
  '/',
  'map',
  '.map(x => x',
  '.constructor',
  '__proto__',
  'new ',
  'typeof ',
  'in',
  '1',
  '1e9',
  'null',
  '.repeat(',
  'Object',
  '.keys',
  ' ',
  '\n',
  '}}',
  '{{',
  '//',
  '/*',
  '\\',
  '\u2028',
  '#',
  '@',
  '!',
  '&&',
  '??',
  '=',
  ';',
];

function survives(source: string): void {
  const compiled = compileExpression(source);
  if ('issue' in compiled) {
    expect(compiled.issue.offset).toBeGreaterThanOrEqual(0);
    expect(compiled.issue.offset).toBeLessThanOrEqual(source.length);
    return;
  }
  let value: JsonValue = null;
  try {
    value = compiled.expression.evaluate(scope);
  } catch (error) {
    expect(error).toBeInstanceOf(ExpressionError);
  }
  expect(JSON.parse(JSON.stringify(value))).toEqual(value);
}

describe('the expression language', () => {
  it('gives what JavaScript gives, for expressions that both have', () => {
    fc.assert(
      fc.property(any, (source) => {
        const ours = inOurs(source);
        fc.pre(!('overBudget' in ours));
        expect({ source, ...ours }).toEqual({ source, ...inJavaScript(source) });
      }),
      { numRuns: 1_500 },
    );
  });

  it('only reports issues for texts that are not expressions, and only fails with its own error', () => {
    fc.assert(fc.property(fc.string({ maxLength: 40 }), survives), { numRuns: 1_000 });
    const soup = fc.array(fc.constantFrom(...fragments), { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(fc.property(soup, survives), { numRuns: 3_000 });
    // Many of these fail while they are evaluated.
    fc.assert(fc.property(any, survives), { numRuns: 500 });
  });
});

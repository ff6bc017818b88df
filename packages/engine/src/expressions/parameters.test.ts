import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@deckhand/contracts';
import { compileParameters, compileTemplate, ExpressionError, type ExpressionScope } from './index.ts';

const scope: ExpressionScope = {
  trigger: { name: 'Ann', amount: 150, tags: ['a'], nothing: null },
  input: [1],
  node: () => ({ id: 1 }),
  vars: {},
  execution: { id: 'e', mode: 'live' },
  now: () => '2026-11-20T08:15:00.000Z',
};

function render(text: string): JsonValue {
  const compiled = compileTemplate(text);
  if ('issue' in compiled) throw new Error(`${compiled.issue.message} at ${compiled.issue.offset}`);
  return compiled.template.evaluate(scope);
}

describe('a template', () => {
  it.each<[string, JsonValue]>([
    ['', ''],
    ['plain } text {', 'plain } text {'],
    ['{{ $trigger.amount }}', 150],
    ['{{$trigger}}', scope.trigger as JsonValue],
    [' {{ $trigger.amount }}', ' 150'],
    ['Hello {{ $trigger.name }}, {{ $trigger.amount > 100 ? "big" : "small" }}!', 'Hello Ann, big!'],
    ['{{ $trigger.name }}{{ $trigger.amount }}', 'Ann150'],
    ['[{{ $trigger.nothing }}{{ $trigger.missing }}]', '[]'],
    ['tags: {{ $trigger.tags }}, {{ ({ a: 1 }) }}', 'tags: ["a"], {"a":1}'],
    ['at {{ date(0) }}', 'at 1970-01-01T00:00:00.000Z'],
    ['{{ { a: { b: "}}" } } }}', { a: { b: '}}' } }],
    ['{{ {a:{b:1}}}}', { a: { b: 1 } }],
    ['{{ `}}${"}}"}` }}', '}}}}'],
    ['{{ "\\"}}" }}', '"}}'],
    ['{{ /* }} */ 1 /* why */ }}', 1],
    ['{{ (($trigger.amount)) }}', 150],
    ['{{\n  $trigger.amount\n}}', 150],
    ['\\{{ not }}', '{{ not }}'],
    ['a \\{{ b }} {{ 1 }}', 'a {{ b }} 1'],
    ['C:\\dir\\\\{{ 1 }}', 'C:\\dir\\1'],
    ['\\\\{{ 1 }}', '\\1'],
    ['\\\\\\{{ 1 }}', '\\{{ 1 }}'],
    ['\\ \\n {', '\\ \\n {'],
    ['{ {{ 1 }} }', '{ 1 }'],
  ])('%j is %j', (text, value) => {
    expect(render(text)).toEqual(value);
  });

  it.each<[string, number, RegExp]>([
    ['{{ }}', 3, /missing here/],
    ['a {{ 1', 6, /"}}" is missing/],
    ['{{ 1 } }', 5, /"}}" is missing/],
    ['{{ a b }}', 3, /name "a" is not known/],
    ['{{ 1 1 }}', 5, /"}}" is missing.*\\{{/],
    ['ok {{ 1 }} {{ $trigger.x = 1 }}', 14, /nothing can be assigned/],
    ['{{#if x}}', 2, /not an expression|private/],
    ['{{ "abc }}', 3, /not an expression: unterminated string/],
  ])('%j has an issue at %d', (text, offset, message) => {
    expect(compileTemplate(text)).toEqual({ issue: { message: expect.stringMatching(message), offset } });
  });
});

describe('an expression that is too long', () => {
  it.each(['"xxxxxxxx" + ', 'x + ', '[', '(', '!', 'xyz', '/* '])('is an issue where it begins (%s)', (piece) => {
    const text = `{{ ${piece.repeat(12_000)} }}`;
    expect(compileTemplate(text)).toMatchObject({
      issue: { message: expect.stringMatching(/10000|too deeply/), offset: 2 },
    });
  });
});

describe('a text that is too long', () => {
  it.each(['"', '`', "'"])('is an issue where the expression begins (%s)', (quote) => {
    const text = `{{ ${quote}${'x'.repeat(20_000)}${quote} }}`;
    expect(compileTemplate(text)).toMatchObject({ issue: { message: expect.stringContaining('10000'), offset: 2 } });
  });
});

describe('parameters', () => {
  function compile(parameters: JsonValue) {
    const compiled = compileParameters(parameters);
    if ('issues' in compiled) throw new Error(JSON.stringify(compiled.issues));
    return compiled.parameters;
  }

  it('are evaluated wherever a string stands, but for keys', () => {
    const parameters = compile({
      url: 'https://x/{{ $trigger.name }}',
      list: [1, '{{ $input[0] }}', { '{{ key }}': '{{ $trigger.missing }}' }],
      n: null,
    });
    expect(parameters.evaluate(scope)).toEqual({ url: 'https://x/Ann', list: [1, 1, { '{{ key }}': null }], n: null });
    expect(parameters.references).toEqual({ nodes: [], names: new Set(['$trigger', '$input']) });
    expect(parameters.isConstant).toBe(false);
  });

  it('without templates are the same frozen value each time', () => {
    const given = { a: ['x', { b: 1 }], c: '\\{{ x }}' };
    const parameters = compile(given);
    const value = parameters.evaluate(scope);
    expect(parameters.isConstant).toBe(true);
    expect(parameters.evaluate(scope)).toBe(value);
    expect(value).toEqual({ a: ['x', { b: 1 }], c: '{{ x }}' });
    expect(Object.isFrozen(value)).toBe(true);
    expect(Object.isFrozen(given)).toBe(false);
  });

  it('share the constant parts between evaluations', () => {
    const parameters = compile({ fixed: { a: [1] }, name: '{{ $trigger.name }}' });
    const [first, second] = [parameters.evaluate(scope), parameters.evaluate(scope)] as { fixed: object }[];
    expect(first!.fixed).toBe(second!.fixed);
  });

  it('report every issue at once, with its path', () => {
    expect(compileParameters({ fields: { total: '{{ 1 + }}', ok: 'x' }, cases: [{ equals: '{{ nope }}' }] })).toEqual({
      issues: [
        { path: ['fields', 'total'], message: 'an expression, or the rest of one, is missing here', offset: 7 },
        { path: ['cases', 0, 'equals'], message: 'the name "nope" is not known', offset: 3 },
      ],
    });
  });

  it('name the parameter and the position when they fail', () => {
    const parameters = compile({ fields: { 'a b': ['', 'x {{ $trigger.name }} {{ $trigger.order.total }}'] } });
    expect(() => parameters.evaluate(scope)).toThrow(ExpressionError);
    try {
      parameters.evaluate(scope);
    } catch (error) {
      expect(error).toMatchObject({
        code: 'EXPRESSION_FAILED',
        path: ['fields', 'a b', 1],
        offset: 40,
        source: 'x {{ $trigger.name }} {{ $trigger.order.total }}',
      });
      expect(String(error)).toContain('parameters.fields["a b"][1]: cannot read "total" of undefined');
    }
  });

  it('share one budget', () => {
    const one = compile({ a: '{{ "x".repeat(3e6) }}' });
    const four = compile(Array.from({ length: 4 }, () => '{{ "x".repeat(3e6) }}'));
    expect(() => one.evaluate(scope)).not.toThrow();
    expect(() => four.evaluate(scope)).toThrow('parameters[2]: the expression produces too much data');
  });

  it('keep the text of those that are verbatim', () => {
    const compiled = compileParameters({ source: 'return `{{`', other: '{{ 1 }}' }, { verbatim: ['source'] });
    expect('parameters' in compiled && compiled.parameters.evaluate(scope)).toEqual({
      source: 'return `{{`',
      other: 1,
    });
  });

  it('refuse the key __proto__ and bottomless nesting', () => {
    const proto = JSON.parse('{"a":{"__proto__":{"b":1}}}') as JsonValue;
    expect(compileParameters(proto)).toMatchObject({ issues: [{ path: ['a', '__proto__'] }] });
    const deep = JSON.parse('['.repeat(5_000) + ']'.repeat(5_000)) as JsonValue;
    expect(compileParameters(deep)).toMatchObject({ issues: [{ message: 'the parameters nest too deeply' }] });
  });
});

import { describe, expect, it } from '@jest/globals';
import { compileExpression } from './compile-source.ts';
import { compilePattern } from './pattern.ts';
import type { ExpressionScope } from './scope.ts';

const scope: ExpressionScope = {
  trigger: { text: 'aaab' },
  input: null,
  node: () => undefined,
  loop: undefined,
  vars: {},
  execution: { id: 'run-1', mode: 'test' },
  now: () => '2026-11-20T08:15:00.000Z',
};

function compile(source: string) {
  const compiled = compileExpression(source);
  if ('issue' in compiled) throw new Error(compiled.issue.message);
  return compiled.expression;
}

describe('regular expressions', () => {
  it('of hundreds of expressions do not all stay in memory, and match all the same', () => {
    const expressions = Array.from({ length: 300 }, (_, n) =>
      compile(`$trigger.text.replace(/(a{1,30}){1,20}c{0,${n}}b/, "${n}")`),
    );
    const wanted = expressions.map((_, n) => `${n}`);
    expect(expressions.map(({ evaluate }) => evaluate(scope))).toEqual(wanted);
    expect(expressions.map(({ evaluate }) => evaluate(scope))).toEqual(wanted);
  });

  it('give up their programs to later ones', () => {
    const first = compilePattern('(a{1,30}){1,20}', '');
    expect(first).toHaveProperty('expression', expect.anything());
    for (let n = 0; n < 300; n += 1) compilePattern('(a{1,30}){1,20}', '');
    expect(first).toHaveProperty('expression', undefined);
  });
});

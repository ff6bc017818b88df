import type { JsonValue } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { hostileScripts } from '../harness/hostile-scripts.ts';
import {
  compileExpression,
  ExpressionError,
  type ExpressionScope,
} from '../../packages/engine/src/expressions/index.ts';

const scope: ExpressionScope = {
  trigger: {},
  input: null,
  node: () => undefined,
  vars: {},
  execution: { id: 'e', mode: 'normal' },
  now: () => '2026-11-20T08:15:00.000Z',
};

/** What an attempt came to: refused before it ran, ended while it ran, or a value. */
function attempt(source: string): 'refused' | 'ended' | { readonly value: JsonValue } {
  const compiled = compileExpression(source);
  if ('issue' in compiled) return 'refused';
  try {
    return { value: compiled.expression.evaluate(scope) };
  } catch (error) {
    if (error instanceof ExpressionError) return 'ended';
    throw error;
  }
}

const attempts = hostileScripts.flatMap(({ what, expression }) =>
  expression === undefined ? [] : [[what, expression] as const],
);

describe('what a script may try, an expression may not', () => {
  it.each(attempts)('%s', (_what, expression) => {
    const outcome = attempt(expression);
    // The one that is allowed is the JSON of data that happens to have a member of that name.
    if (typeof outcome === 'object') expect(outcome).toEqual({ value: '{"toJSON":"x"}' });
    else expect(['refused', 'ended']).toContain(outcome);
  });

  it('and nothing of the process was touched by all that', () => {
    expect(attempts.length).toBeGreaterThan(25);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@deckhand/contracts';
import { compileExpression, ExpressionError, type ExpressionScope } from './index.ts';

const scope: ExpressionScope = {
  trigger: {
    customer: { name: 'Ann', tags: ['a', 'b'] },
    items: [
      { price: 2, count: 3 },
      { price: 5, count: 1 },
    ],
    amount: 150,
  },
  input: { ok: true },
  node: (id) => (id === 'fetch-it' ? { body: 'x' } : undefined),
  loop: { item: { id: 7 }, index: 2 },
  vars: { region: 'eu' },
  execution: { id: 'run-1', mode: 'test' },
  now: () => '2026-11-20T08:15:00.000Z',
};

function valueOf(source: string, within: ExpressionScope = scope): JsonValue {
  const compiled = compileExpression(source);
  if ('issue' in compiled) throw new Error(compiled.issue.message);
  return compiled.expression.evaluate(within);
}

function issueOf(source: string): unknown {
  const compiled = compileExpression(source);
  return 'issue' in compiled ? compiled.issue : undefined;
}

function errorOf(source: string): ExpressionError {
  try {
    valueOf(source);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
  throw new Error('the expression did not fail');
}

describe('the names of an expression', () => {
  it.each<[string, JsonValue]>([
    ['$trigger.amount', 150],
    ['$input', { ok: true }],
    ['$nodes["fetch-it"].output.body', 'x'],
    ['$nodes.other.output', null],
    ['$nodes.other.output?.body', null],
    ['$nodes.other?.output?.body ?? "none"', 'none'],
    ['$loop.item.id + $loop.index', 9],
    ['$vars.region', 'eu'],
    ['$vars', { region: 'eu' }],
    ['$vars["re" + "gion"]', 'eu'],
    ['$execution.id + $execution.mode', 'run-1test'],
    ['$now', '2026-11-20T08:15:00.000Z'],
  ])('%s is %j', (source, value) => {
    expect(valueOf(source)).toEqual(value);
  });

  it('are undefined outside of a loop', () => {
    expect(valueOf('[$loop.item, $loop.index]', { ...scope, loop: undefined })).toEqual([null, null]);
  });

  it('are read only when asked for', () => {
    const lazy: ExpressionScope = {
      ...scope,
      get trigger(): JsonValue {
        throw new Error('not to be read');
      },
    };
    expect(valueOf('$vars.region', lazy)).toBe('eu');
  });

  it('give one moment to a whole evaluation', () => {
    let calls = 0;
    const now = (): string => `moment ${(calls += 1)}`;
    expect(valueOf('$now === $now', { ...scope, now })).toBe(true);
  });

  it('are reported, so that the engine knows what data is needed', () => {
    const compiled = compileExpression(
      '$nodes.b.output + $nodes.a.output + $nodes.b.output + $loop.index + $trigger.x',
    );
    expect('expression' in compiled && compiled.expression.references).toEqual({
      nodes: ['b', 'a'],
      names: new Set(['$loop', '$trigger']),
    });
  });
});

describe('a result', () => {
  it('shares structure with its input instead of copying it', () => {
    expect(valueOf('$trigger')).toBe(scope.trigger);
    expect(valueOf('$trigger.items.slice(1)')).toEqual([{ price: 5, count: 1 }]);
  });

  it('is plain JSON', () => {
    const result = valueOf('({ missing: undefined, none: null, nan: NaN, list: [undefined, Infinity], at: date(0) })');
    expect(result).toEqual({ none: null, nan: null, list: [null, null], at: '1970-01-01T00:00:00.000Z' });
    expect(JSON.stringify(result)).not.toContain('missing');
  });

  it('is null for undefined', () => {
    expect(valueOf('undefined')).toBeNull();
  });
});

describe('arrow functions', () => {
  it('see the parameters around them', () => {
    expect(valueOf('$trigger.items.map((a, i) => $trigger.items.map(b => [a.price, b.price, i]))')).toEqual([
      [
        [2, 2, 0],
        [2, 5, 0],
      ],
      [
        [5, 2, 1],
        [5, 5, 1],
      ],
    ]);
  });

  it('may hide a parameter around them, which is back afterwards', () => {
    expect(valueOf('[1, 2].map(x => [10, 20].map(x => x).concat(x))')).toEqual([
      [10, 20, 1],
      [10, 20, 2],
    ]);
  });

  it('may be a conversion by name', () => {
    expect(valueOf('["1", "", "x"].filter(Boolean).map(Number)')).toEqual([1, null]);
  });
});

describe('an error', () => {
  it('names what has no value, the parameter and the position', () => {
    const error = errorOf('$trigger.order.total + 1');
    expect(error.code).toBe('EXPRESSION_FAILED');
    expect(error.message).toBe(
      'expression: cannot read "total" of undefined: $trigger.order has no value ("?." allows for that) (at character 16 of "$trigger.order.total + 1")',
    );
    expect(error).toMatchObject({ offset: 15, path: [], source: '$trigger.order.total + 1' });
  });

  it('names the value on which a method was called', () => {
    expect(errorOf('$trigger.nothing.toUpperCase()').message).toContain(
      'cannot read "toUpperCase" of undefined: $trigger.nothing',
    );
    expect(errorOf('$trigger.amount.map(x => x)').message).toContain('number has no method "map"; arrays have');
    expect(errorOf('$now.plus(1, "day")').message).toContain(
      'string has no method "plus"; date(...) makes a date of it',
    );
  });

  it('does not quote data', () => {
    const error = errorOf('JSON.parse($trigger.customer.name)');
    expect(error.message).not.toContain('Ann');
  });

  it('shows only a part of a long source', () => {
    const error = errorOf(`${'1 + '.repeat(100)}$trigger.a.b`);
    expect(error.message.length).toBeLessThan(320);
    expect(error.message).toContain('$trigger.a.b');
  });

  it('wraps what the scope throws', () => {
    const failing: ExpressionScope = {
      ...scope,
      node: () => {
        throw new TypeError('gone');
      },
    };
    expect(() => valueOf('$nodes.a.output', failing)).toThrow(ExpressionError);
  });
});

describe('an issue', () => {
  it.each<[string, number, string]>([
    ['trigger.amount', 0, 'the name "trigger" is not known; did you mean "$trigger"?'],
    ['1 + foo', 4, 'the name "foo" is not known'],
    ['$json.name', 0, 'the name "$json" is that of n8n; here, the output of the node before is $input'],
    ['$node["A"].json', 0, 'the name "$node" is that of n8n; here, the output of a node is $nodes.<id>.output'],
    [
      '$("A").item.json',
      0,
      'there is no function "$", which is that of n8n; here, the output of a node is $nodes.<id>.output',
    ],
    ['$trigger.a.push(1)', 11, 'there is no method "push", since nothing can be changed; use [...list, item]'],
    ['$trigger.a = 2', 0, 'nothing can be assigned; use == or === to compare'],
    ['$nodes.a', 0, 'of a node there is its output: $nodes.<id>.output'],
    ['$nodes', 0, '"$nodes" cannot stand alone; there is $nodes.<id>.output'],
    ['$loop.items', 6, 'there is $loop.item, $loop.index and $loop.previous only'],
    ['', 0, 'an expression, or the rest of one, is missing here'],
    ['1 +', 3, 'an expression, or the rest of one, is missing here'],
    ['1 2', 2, 'the expression ends before this'],
    ['[1, , 2]', 0, 'an array cannot have holes'],
    ['$trigger.list.map()', 14, 'map needs an arrow function, such as x => x.name'],
    [
      '/(?<=a)b/.test("b")',
      0,
      'the regular expression cannot be used: invalid named capture: `(?<=a)b` (no lookaround, no back references)',
    ],
  ])('of %j stands at %d', (source, offset, message) => {
    expect(issueOf(source)).toEqual({ message, offset });
  });
});

describe('budgets', () => {
  const over = (source: string, limits: object): unknown => {
    const compiled = compileExpression(source);
    if ('issue' in compiled) throw new Error(compiled.issue.message);
    try {
      return compiled.expression.evaluate(scope, limits);
    } catch (error) {
      return error instanceof ExpressionError ? error.code : error;
    }
  };

  it('can be set for an evaluation', () => {
    expect(over('1 + 1', { steps: 2 })).toBe('EXPRESSION_BUDGET');
    expect(over('1 + 1', { steps: 3 })).toBe(2);
    expect(over('"ab" + "cd"', { producedBytes: 3 })).toBe('EXPRESSION_BUDGET');
    expect(over('$trigger', { resultBytes: 10 })).toBe('EXPRESSION_BUDGET');
  });

  it('hold an ordinary list of a thousand elements', () => {
    const items = Array.from({ length: 1_000 }, (_, id) => ({ id, name: `item ${id}`, price: id / 2 }));
    const source =
      '$trigger.filter(i => i.price > 100).map(i => ({ ...i, total: i.price * 2 })).sort((a, b) => b.total - a.total).length';
    expect(valueOf(source, { ...scope, trigger: items })).toBe(799);
  });
});

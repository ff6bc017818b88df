import type { JsonValue } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { NodeType } from '@deckhand/engine';
import { nodeContext } from '../../../../tests/harness/node-context.ts';
import aggregate from './aggregate.ts';
import filter from './filter.ts';
import sort from './sort.ts';
import split from './split.ts';

function run(node: NodeType, parameters: JsonValue, input: JsonValue = null): unknown {
  const outcome = node.run(parameters, nodeContext({ input }));
  if (outcome instanceof Promise || outcome.kind !== 'output') throw new Error('the node answers at once');
  return outcome.output;
}

const numbers = [3, 1, 2];
const jsonList = fc.array(fc.jsonValue().map((value): JsonValue => JSON.parse(JSON.stringify(value))));

describe('nodes that work on lists', () => {
  it.each([
    ['filter', filter, { conditions: [{ operator: 'exists' }] }],
    ['sort', sort, {}],
    ['aggregate', aggregate, { operations: [{ operation: 'list', as: 'all' }] }],
    ['split', split, { size: 2 }],
  ])('%s takes its input where no list is given, and refuses one that is none', (_name, node, parameters) => {
    expect(() => run(node, parameters, numbers)).not.toThrow();
    expect(run(node, { ...parameters, items: numbers }, 'else')).toEqual(run(node, parameters, numbers));
    expect(() => run(node, parameters, { no: 'list' })).toThrow(/parameters\.items is required/);
  });
});

describe('large lists', () => {
  const numbered = (length: number) => Array.from({ length }, (_, index) => index);
  const start = async (node: NodeType, parameters: JsonValue, signal?: AbortSignal) => {
    const outcome = node.run(parameters, nodeContext(signal ? { signal: () => signal } : {}));
    return { isInSlices: outcome instanceof Promise, outcome: await outcome };
  };

  it('are looked up in a set by `in`, with items of any kind', async () => {
    const value: JsonValue[] = [...numbered(50_000), { b: 1, a: [2] }];
    const items: JsonValue[] = [...numbered(50_000).map((number) => number + 49_999), { a: [2], b: 1 }, '5', {}];
    const { isInSlices, outcome } = await start(filter, { items, conditions: [{ operator: 'in', value }] });
    expect(isInSlices).toBe(true);
    expect(outcome).toMatchObject({ output: [49_999, { a: [2], b: 1 }] });
  });

  it.each<[string, NodeType, Record<string, JsonValue>]>([
    ['filter', filter, { conditions: [{ operator: 'exists' }] }],
    ['sort', sort, {}],
    ['aggregate', aggregate, { groupBy: ['a'], operations: [{ operation: 'count', as: 'count' }] }],
    ['split', split, { field: 'a' }],
  ])('are worked on in slices by %s, which can be stopped', async (_name, node, parameters) => {
    const abort = new AbortController();
    const items = numbered(60_000).map((a) => ({ a }));
    const running = start(node, { ...parameters, items }, abort.signal);
    abort.abort(new Error('stopped'));
    await expect(running).rejects.toThrow('stopped');
  });

  it('are sorted in slices as at once', async () => {
    const items = numbered(20_000).map((number) => ({ n: (number * 7_919) % 1_000, number }));
    const { outcome } = await start(sort, { items, by: [{ field: 'n', order: 'descending' }] });
    expect(outcome).toMatchObject({ output: items.toSorted((a, b) => b.n - a.n) });
  });

  it('fail where fields of many levels take too many steps', async () => {
    const field = `${'a.'.repeat(249)}a`;
    const by = Array.from({ length: 10 }, () => ({ field }));
    const running = start(sort, { items: numbered(50_000).map(() => ({})), by });
    await expect(running).rejects.toMatchObject({ code: 'NODE_BUDGET', isRetryable: false });
  });

  it('cannot be multiplied beyond what a result may be', async () => {
    const refused = { code: 'RESULT_TOO_LARGE', isRetryable: false };
    const item = { text: 'x'.repeat(100_000), list: numbered(1_000) };
    await expect(start(split, { items: [item], field: 'list' })).rejects.toMatchObject(refused);
    const operations = numbered(50).map((number) => ({ operation: 'count', as: String(number).padEnd(200, 'x') }));
    const grouped = start(aggregate, { items: numbered(5_000).map((a) => ({ a })), groupBy: ['a'], operations });
    await expect(grouped).rejects.toMatchObject(refused);
  });
});

describe('filter', () => {
  const items: JsonValue[] = [
    { n: 1, s: 'abc', list: [1, 2], deep: { a: { b: 5 } } },
    { n: 2, s: 'b', list: [], deep: null },
    { n: '2', s: '', __proto: 1 },
    { other: true },
  ];
  const found = (condition: object) =>
    items.flatMap((item, index) => {
      const kept = run(filter, { items: [item], conditions: [{ operator: 'equals', ...condition }] });
      return Array.isArray(kept) && kept.length > 0 ? [index] : [];
    });

  it.each<[object, number[]]>([
    [{ field: 'n', value: 2 }, [1]],
    [{ field: 'n', operator: 'notEquals', value: 2 }, [0, 2, 3]],
    [{ field: 'list', value: [1, 2] }, [0]],
    [{ field: 'n', operator: 'greater', value: 1 }, [1]],
    [{ field: 'n', operator: 'greaterOrEqual', value: 1 }, [0, 1]],
    [{ field: 'n', operator: 'less', value: 2 }, [0]],
    [{ field: 's', operator: 'lessOrEqual', value: 'abc' }, [0, 2]],
    [{ field: 's', operator: 'contains', value: 'b' }, [0, 1]],
    [{ field: 'list', operator: 'contains', value: 2 }, [0]],
    [{ field: 'list', operator: 'notContains', value: 2 }, [1, 2, 3]],
    [{ field: 's', operator: 'startsWith', value: 'a' }, [0]],
    [{ field: 's', operator: 'endsWith', value: 'b' }, [1]],
    [{ field: 'n', operator: 'in', value: [1, '2'] }, [0, 2]],
    [{ field: 'n', operator: 'exists' }, [0, 1, 2]],
    [{ field: 'deep', operator: 'missing' }, [1, 2, 3]],
    [{ field: 's', operator: 'empty' }, [2, 3]],
    [{ field: 'list', operator: 'notEmpty' }, [0]],
    [{ field: 'deep.a.b', value: 5 }, [0]],
    [{ field: 'list.1', value: 2 }, [0]],
    [{ field: 'constructor', operator: 'exists' }, []],
    [{ field: '__proto__', operator: 'exists' }, []],
    [{ field: 'list.length', operator: 'exists' }, []],
  ])('by %j keeps %j', (condition, kept) => {
    expect(found(condition)).toEqual(kept);
  });

  it('asks for all conditions, or for any', () => {
    const conditions = [
      { operator: 'greater', value: 1 },
      { operator: 'less', value: 3 },
    ];
    expect(run(filter, { items: numbers, conditions })).toEqual([2]);
    expect(run(filter, { items: numbers, conditions, match: 'any' })).toEqual([3, 1, 2]);
  });
});

describe('sort', () => {
  it('orders by several fields, what is missing last in either order', () => {
    const items: JsonValue[] = [{ a: 2, b: 'x' }, { b: 'y' }, { a: 1, b: 'é' }, { a: 2, b: 'a' }, { a: 1, b: 'f' }];
    const by = [{ field: 'a' }, { field: 'b' }];
    expect(run(sort, { items, by })).toEqual([items[2], items[4], items[3], items[0], items[1]]);
    const down: JsonValue[] = [{ field: 'a', order: 'descending' }, { field: 'b' }];
    expect(run(sort, { items, by: down })).toEqual([items[3], items[0], items[2], items[4], items[1]]);
  });

  it('compares texts as numbers when asked, and in the language that is named', () => {
    expect(run(sort, { items: ['10', '9', 'x'] })).toEqual(['10', '9', 'x']);
    expect(run(sort, { items: ['10', '9', 'x'], by: [{ as: 'number' }] })).toEqual(['9', '10', 'x']);
    expect(run(sort, { items: ['z', 'ö'], locale: 'de' })).toEqual(['ö', 'z']);
    expect(run(sort, { items: ['ö', 'z'], locale: 'sv' })).toEqual(['z', 'ö']);
    expect(() => run(sort, { items: ['ö', 'z'], locale: 'klingon' })).toThrow('parameters.locale must be');
  });

  it('keeps all of any list, in the same order when asked twice', () => {
    fc.assert(
      fc.property(jsonList, (items) => {
        const once = run(sort, { items });
        expect(once).toHaveLength(items.length);
        expect(new Set(Array.isArray(once) ? once.map((one) => JSON.stringify(one)) : [])).toEqual(
          new Set(items.map((one) => JSON.stringify(one))),
        );
        expect(run(sort, { items: once as JsonValue })).toEqual(once);
      }),
    );
  });
});

describe('aggregate', () => {
  const items: JsonValue[] = [{ c: 'a', n: 2 }, { c: 'b', n: 3 }, { c: 'a' }, { c: 'a', n: 'x' }, { n: 2 }];
  const one = (operation: string, field?: string) =>
    run(aggregate, { items, operations: [{ operation, ...(field === undefined ? {} : { field }), as: 'it' }] });

  it.each<[string, string | undefined, JsonValue]>([
    ['count', undefined, 5],
    ['count', 'n', 4],
    ['average', 'nothing', null],
    ['min', 'n', 2],
    ['max', 'n', 3],
    ['max', 'c', 'b'],
    ['min', 'nothing', null],
    ['first', 'c', 'a'],
    ['last', 'c', 'a'],
    ['list', 'n', [2, 3, 'x', 2]],
    ['distinct', 'n', [2, 3, 'x']],
  ])('%s of %s', (operation, field, expected) => {
    expect(one(operation, field)).toEqual({ it: expected });
  });

  it('adds up texts that are numbers as expressions do, and fails for others', () => {
    const total = (values: JsonValue[], operation = 'sum') =>
      run(aggregate, { items: values.map((n) => ({ n })), operations: [{ operation, field: 'n', as: 'it' }] });
    expect(total(['10.50', '2'])).toEqual({ it: 12.5 });
    expect(total(['1e2', ' 7 ', -3, '', ' ', null])).toEqual({ it: 104 });
    expect(total(['10', '', null, '20'], 'average')).toEqual({ it: 15 });
    for (const operation of ['sum', 'average']) {
      for (const other of ['x', '1.234,56', '5 €', true, [1], { a: 1 }, 'Infinity']) {
        expect(() => total(['1', other], operation)).toThrow(expect.objectContaining({ code: 'NOT_A_NUMBER' }));
      }
    }
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer())), (numbers) => {
        const expected = numbers.reduce((sum, number) => sum + number, 0);
        expect(total(numbers.map(String))).toEqual({ it: expected });
      }),
    );
  });

  it('finds the least and the greatest by number, as the value that it is', () => {
    const ends = (values: JsonValue[]) =>
      run(aggregate, {
        items: values,
        operations: [
          { operation: 'min', as: 'min' },
          { operation: 'max', as: 'max' },
        ],
      });
    expect(ends(['10', '9.50', ''])).toEqual({ min: '9.50', max: '10' });
    expect(ends([2, '10'])).toEqual({ min: 2, max: '10' });
    expect(ends(['2026-01-10', '2026-01-09'])).toEqual({ min: '2026-01-09', max: '2026-01-10' });
    expect(ends(['', ''])).toEqual({ min: '', max: '' });
  });

  it('makes groups in the order of their first items, also of names that objects have', () => {
    const operations = [{ operation: 'count', as: 'count' }];
    expect(run(aggregate, { items, groupBy: ['c'], operations })).toEqual([
      { c: 'a', count: 3 },
      { c: 'b', count: 1 },
      { c: null, count: 1 },
    ]);
    const hostile = run(aggregate, { items: [{}], groupBy: ['__proto__'], operations });
    expect(JSON.stringify(hostile)).toBe('[{"__proto__":null,"count":1}]');
  });

  it('of nothing is nothing', () => {
    expect(run(aggregate, { items: [], operations: [{ operation: 'sum', as: 'sum' }] })).toEqual({ sum: 0 });
    expect(run(aggregate, { items: [], groupBy: ['a'], operations: [{ operation: 'sum', as: 'sum' }] })).toEqual([]);
  });
});

describe('split', () => {
  it('makes batches that together are the list', () => {
    fc.assert(
      fc.property(jsonList, fc.integer({ min: 1, max: 20 }), (items, size) => {
        const batches = run(split, { items, size });
        if (!Array.isArray(batches)) throw new Error('batches are a list');
        expect(batches.flat(1)).toEqual(items);
        expect(batches.every((batch: unknown[]) => batch.length >= 1 && batch.length <= size)).toBe(true);
      }),
    );
  });

  it('makes an item per element of a field, and leaves alone what has none', () => {
    const items: JsonValue[] = [{ id: 1, lines: ['a', 'b'] }, { id: 2, lines: [] }, { id: 3 }, 'text'];
    expect(run(split, { items, field: 'lines', as: 'line' })).toEqual([
      { id: 1, line: 'a' },
      { id: 1, line: 'b' },
      { id: 3 },
      'text',
    ]);
  });

  it('cuts a text', () => {
    expect(run(split, { text: 'a\nb\n' })).toEqual(['a', 'b', '']);
    expect(run(split, { text: 'a, b', separator: ', ' })).toEqual(['a', 'b']);
    expect(() => run(split, { text: 'x'.repeat(5_000_001) })).toThrow(/more than 5000000/);
  });

  it('is one way of three', () => {
    expect(split.check?.({})).toMatchObject([{ path: 'size' }]);
    expect(split.check?.({ size: 1, text: 'a' })).toMatchObject([{ path: 'size' }]);
    expect(split.check?.({ field: 'a' })).toEqual([]);
  });
});

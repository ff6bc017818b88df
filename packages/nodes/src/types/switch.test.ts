import { describe, expect, it } from '@jest/globals';
import { nodeContext } from '../../../../tests/harness/node-context.ts';
import { handlesFor, type JsonValue } from '@deckhand/contracts';
import node from './switch.ts';

const input = { a: 1 };
const cases = [
  { handle: 'one', equals: 1 },
  { handle: 'text', equals: '1' },
  { handle: 'nothing', equals: null },
  { handle: 'object', equals: { a: [1], b: 2 } },
  { handle: 'again', equals: 1 },
];

describe('switch', () => {
  it.each<[JsonValue, string]>([
    [1, 'one'],
    ['1', 'text'],
    [null, 'nothing'],
    [{ b: 2, a: [1] }, 'object'],
    [{ a: [1] }, 'default'],
    [true, 'default'],
    ['', 'default'],
  ])('takes %p by value and type to %s', (value, handle) => {
    expect(node.run({ value, cases }, nodeContext({ input }))).toEqual({ kind: 'output', output: input, handle });
  });

  it('has an output per case, and default', () => {
    expect(handlesFor(node, { cases: cases.slice(0, 2) })).toEqual(['one', 'text', 'default']);
  });

  it('is refused with an output that exists already', () => {
    const names = (...handles: string[]) => ({ cases: handles.map((handle) => ({ handle, equals: 1 })) });
    expect(node.check?.(names('a', 'b', 'a'))).toMatchObject([{ path: 'cases[2].handle' }]);
    expect(node.check?.(names('default', 'error'))).toMatchObject([
      { path: 'cases[0].handle' },
      { path: 'cases[1].handle' },
    ]);
    expect(node.check?.(names('a', 'b'))).toEqual([]);
  });

  it('says nothing more of cases that the schema refuses', () => {
    expect(node.check?.({ cases: 'all' })).toEqual([]);
    expect(node.check?.({ cases: [5, { handle: 6 }] })).toEqual([]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { nodeContext } from '../../../../tests/harness/node-context.js';
import node from './merge.js';

const inputs = [
  { nodeId: 'b', output: { x: 1 } },
  { nodeId: 'a', output: [2] },
];

const merged = (parameters: { mode?: string }, list = inputs) =>
  node.run({ ...parameters }, nodeContext({ inputs: list }));

describe('merge', () => {
  it('makes an object by node of the branches that were taken, unless told otherwise', () => {
    const output = { b: { x: 1 }, a: [2] };
    expect(merged({})).toEqual({ kind: 'output', output });
    expect(merged({ mode: 'object' })).toEqual({ kind: 'output', output });
  });

  it('makes a list in the order of the edges', () => {
    expect(merged({ mode: 'array' })).toEqual({ kind: 'output', output: [{ x: 1 }, [2]] });
  });

  it('takes the first', () => {
    expect(merged({ mode: 'first' })).toEqual({ kind: 'output', output: { x: 1 } });
    expect(merged({ mode: 'first' }, [])).toEqual({ kind: 'output', output: null });
  });
});

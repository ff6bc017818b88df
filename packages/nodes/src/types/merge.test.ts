import { describe, expect, it } from '@jest/globals';
import { nodeContext } from '../../../../tests/harness/node-context.ts';
import node from './merge.ts';

const inputs = [
  { nodeId: 'b', output: { x: 1 } },
  { nodeId: 'a', output: [2] },
];

const merged = (parameters: { mode?: string; count?: number }, list = inputs) =>
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

  it('takes what has come so far, in the order of its arrival', () => {
    expect(merged({ mode: 'any' })).toEqual({ kind: 'output', output: { x: 1 } });
    expect(merged({ mode: 'count', count: 2 })).toEqual({ kind: 'output', output: [{ x: 1 }, [2]] });
    expect(() => merged({ mode: 'count', count: 3 })).toThrow('2 of 3 branches came');
  });

  it('joins early in these modes only, and cancels the rest unless told otherwise', () => {
    expect(node.join?.({ mode: 'any' })).toEqual({ count: 1, cancelsRest: true });
    expect(node.join?.({ mode: 'count', count: 2, cancelRest: false })).toEqual({ count: 2, cancelsRest: false });
    expect(node.join?.({})).toBeUndefined();
    for (const mode of ['first', 'count']) expect(node.join?.({ mode })).toBeUndefined();
  });

  it('is refused with parameters that do not belong together, or come too late', () => {
    expect(node.check?.({ mode: 'count' })).toEqual([{ path: 'count', message: 'is required in the mode count' }]);
    expect(node.check?.({ mode: 'any', count: 2 })).toEqual([{ path: 'count', message: 'needs the mode count' }]);
    expect(node.check?.({ cancelRest: true })).toEqual([
      { path: 'cancelRest', message: 'needs the mode any or count' },
    ]);
    const late = node.check?.({ mode: 'count', count: '{{ $trigger.n }}', cancelRest: '{{ $trigger.all }}' });
    expect(late?.map(({ path }) => path)).toEqual(['count', 'cancelRest']);
    expect(node.check?.({ mode: 'count', count: 2 })).toEqual([]);
  });
});

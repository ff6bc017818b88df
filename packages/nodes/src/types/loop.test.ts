import { describe, expect, it } from '@jest/globals';
import { nodeContext } from '../../../../tests/harness/node-context.ts';
import node from './loop.ts';

describe('loop', () => {
  it('hands its items to the engine, one at a time unless told otherwise', () => {
    expect(node.run({ items: [1, 'b', null] }, nodeContext())).toEqual({
      kind: 'loop',
      items: [1, 'b', null],
      concurrency: 1,
    });
    expect(node.run({ items: [], concurrency: 200 }, nodeContext())).toMatchObject({ items: [], concurrency: 200 });
  });

  it('fails for good on more items than it may have', () => {
    const tooLong = expect.objectContaining({ code: 'LOOP_TOO_LONG', isRetryable: false });
    const items = Array.from({ length: 10_001 }, () => 0);
    expect(() => node.run({ items }, nodeContext())).toThrow(tooLong);
    expect(() => node.run({ items: [1, 2], maxIterations: 1 }, nodeContext())).toThrow(tooLong);
    expect(node.run({ items, maxIterations: 10_001 }, nodeContext())).toMatchObject({ kind: 'loop' });
  });

  it('refuses what is not a list, and more than 200 at once', () => {
    expect(node.validate({ items: { a: 1 } })).toMatchObject([{ path: 'items' }]);
    expect(node.validate({ items: [], concurrency: 201 })).toMatchObject([{ path: 'concurrency' }]);
  });

  it('continues by done, its last output', () => {
    expect(node.handles).toEqual(['body', 'done']);
  });
});

import { describe, expect, it } from '@jest/globals';
import { nodeContext } from '../../../../tests/harness/node-context.ts';
import node from './set.ts';

const input = { a: 1, b: { c: 2 } };

describe('set', () => {
  it('answers its fields alone', () => {
    expect(node.run({ fields: { d: null } }, nodeContext({ input }))).toEqual({ kind: 'output', output: { d: null } });
  });

  it('adds them to the input when it is kept, whole fields over whole fields', () => {
    const outcome = node.run({ fields: { b: { d: 3 }, e: 4 }, keepInput: true }, nodeContext({ input }));
    expect(outcome).toEqual({ kind: 'output', output: { a: 1, b: { d: 3 }, e: 4 } });
  });

  it.each([[[1, 2]], ['text'], [null]])('has nothing to keep of an input that is not an object: %p', (other) => {
    const outcome = node.run({ fields: { a: 1 }, keepInput: true }, nodeContext({ input: other }));
    expect(outcome).toEqual({ kind: 'output', output: { a: 1 } });
  });
});

import { describe, expect, it } from '@jest/globals';
import { nodeContext } from '../../../../tests/harness/node-context.ts';
import node from './if.ts';

const input = { a: 1 };

describe('if', () => {
  it.each([[true], [1], ['no'], ['false'], [[]], [{}]])('leaves by true for %p', (condition) => {
    expect(node.run({ condition }, nodeContext({ input }))).toEqual({ kind: 'output', output: input, handle: 'true' });
  });

  it.each([[false], [0], [''], [null]])('leaves by false for %p', (condition) => {
    expect(node.run({ condition }, nodeContext({ input }))).toEqual({ kind: 'output', output: input, handle: 'false' });
  });

  it('has these two outputs, whatever its parameters', () => {
    expect(node.handles).toEqual(['true', 'false']);
  });
});

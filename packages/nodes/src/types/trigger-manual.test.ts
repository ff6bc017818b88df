import { describe, expect, it } from '@jest/globals';
import { nodeContext } from '../../../../tests/harness/node-context.ts';
import node from './trigger-manual.ts';

describe('a manual trigger', () => {
  it('passes on what the run was started with, whatever it is', () => {
    for (const trigger of [{ a: 1 }, [1], 'text', null]) {
      expect(node.run({}, nodeContext({ trigger }))).toEqual({ kind: 'output', output: trigger });
    }
  });
});

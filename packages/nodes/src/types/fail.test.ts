import { describe, expect, it } from '@jest/globals';
import { nodeContext } from '../../../../tests/harness/node-context.ts';
import node from './fail.ts';

describe('fail', () => {
  it('fails for good, with its message', () => {
    expect(() => node.run({ message: 'no stock' }, nodeContext())).toThrow(
      expect.objectContaining({ code: 'FAILED_BY_WORKFLOW', message: 'no stock', isRetryable: false }),
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import { withInput } from './saved-inputs.ts';

describe('saved inputs', () => {
  it('are in the order of their names, of which each is there once', () => {
    const first = withInput([], { name: 'refund', input: '{}' });
    const second = withInput(first, { name: 'order', input: '{"id": 1}' });
    expect(second.map(({ name }) => name)).toEqual(['order', 'refund']);
    expect(withInput(second, { name: 'refund', input: '{"id": 2}' })).toEqual([
      { name: 'order', input: '{"id": 1}' },
      { name: 'refund', input: '{"id": 2}' },
    ]);
  });
});

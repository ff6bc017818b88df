import { describe, expect, it } from '@jest/globals';
import { readChanges, writeChanges } from './channels.js';

describe('what is told of runs that changed', () => {
  it('says of each how it ended, if it did', () => {
    const changes = [
      { executionId: 'a', ended: 'success' },
      { executionId: 'b', ended: undefined },
      { executionId: 'c', ended: 'timeout' },
    ] as const;
    expect(readChanges(writeChanges(changes))).toEqual(changes);
  });

  it('is ids for whoever does not know of ends, and is read from whoever does not tell them', () => {
    const text = writeChanges([{ executionId: 'a', ended: 'failed' }, { executionId: 'b' }]);
    expect(text.split(' ')).toEqual(expect.arrayContaining(['a', 'b']));
    expect(readChanges('a b')).toEqual([
      { executionId: 'a', ended: undefined },
      { executionId: 'b', ended: undefined },
    ]);
  });
});

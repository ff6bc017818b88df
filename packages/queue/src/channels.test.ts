import { describe, expect, it } from '@jest/globals';
import { readChanges, writeChanges } from './channels.ts';

describe('the form of notifications of changed runs', () => {
  it('has the final status of each run that has one, and its result', () => {
    const changes = [
      { executionId: 'a', ended: 'success' },
      { executionId: 'b', ended: undefined },
      { executionId: 'c', ended: 'timeout' },
      { executionId: 'd', ended: undefined, hasResponse: true },
      { executionId: 'e', ended: 'success', signedResult: 'c2lnbmVk' },
      { executionId: 'f', ended: undefined },
    ] as const;
    expect(readChanges(writeChanges(changes))).toEqual(changes);
  });

  it('has the ids that versions without statuses read, and is read as they write it', () => {
    const text = writeChanges([{ executionId: 'a', ended: 'failed' }, { executionId: 'b' }]);
    expect(text.split(' ')).toEqual(expect.arrayContaining(['a', 'b']));
    expect(readChanges('a b')).toEqual([
      { executionId: 'a', ended: undefined },
      { executionId: 'b', ended: undefined },
    ]);
  });
});

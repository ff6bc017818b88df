import { StoreError } from '@deckhand/db';
import { createLogger } from '@deckhand/runtime';
import { describe, expect, it } from '@jest/globals';
import { createBadRows } from './bad-rows.js';

describe('a row at which maintenance failed', () => {
  it.each([
    ['is skipped for five minutes if its values caused the error', new StoreError('no such value', 'row'), 300_000],
    [
      'is tried again after two seconds if the instance caused the error',
      new StoreError('no column', 'deployment'),
      2_000,
    ],
    ['is tried again after two seconds if the cause is unknown', new Error('unknown'), 2_000],
  ])('%s', (_what, error, skippedMs) => {
    let now = 0;
    const logger = createLogger({ name: 'test', level: 'silent' });
    const badRows = createBadRows({ task: 't', logger, onAdded: () => undefined, now: () => now });
    badRows.add('a', error);
    now = skippedMs - 1;
    expect(badRows.ids()).toEqual(['a']);
    now = skippedMs;
    expect(badRows.ids()).toEqual([]);
  });
});

import { StoreError } from '@deckhand/db';
import { createLogger } from '@deckhand/runtime';
import { describe, expect, it } from '@jest/globals';
import { createBadRows } from './bad-rows.js';

describe('a row at which maintenance failed', () => {
  it.each([
    ['whose values are at fault is left out for five minutes', new StoreError('no such value', 'row'), 300_000],
    ['for a reason of the instance is tried again after two seconds', new StoreError('no column', 'deployment'), 2_000],
    ['for a reason that nobody knows is tried again after two seconds', new Error('unknown'), 2_000],
  ])('%s', (_what, error, leftOutMs) => {
    let now = 0;
    const logger = createLogger({ name: 'test', level: 'silent' });
    const badRows = createBadRows({ task: 't', logger, onAdded: () => undefined, now: () => now });
    badRows.add('a', error);
    now = leftOutMs - 1;
    expect(badRows.ids()).toEqual(['a']);
    now = leftOutMs;
    expect(badRows.ids()).toEqual([]);
  });
});

import { StoreError } from '@deckhand/db';
import { createLogger } from '@deckhand/runtime';
import { describe, expect, it } from '@jest/globals';
import { createBadRows } from './bad-rows.ts';

/** The error of a statement that PostgreSQL cancelled, as the driver adapter reports it. */
const TOO_SLOW = new Error('cancelled', { cause: { originalCode: '57014' } });

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

  it('is tried again after two seconds if it was too slow, and after a minute if it was so again', () => {
    let now = 0;
    const logger = createLogger({ name: 'test', level: 'silent' });
    const badRows = createBadRows({ task: 't', logger, onAdded: () => undefined, now: () => now });
    const isSkippedFor = (ms: number): boolean[] => {
      badRows.add('a', TOO_SLOW);
      return [ms - 1, 1].map((passed) => {
        now += passed;
        return badRows.ids().includes('a');
      });
    };
    expect(isSkippedFor(2_000)).toEqual([true, false]);
    expect(isSkippedFor(60_000)).toEqual([true, false]);
    now += 300_000;
    expect(isSkippedFor(2_000)).toEqual([true, false]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { MAX_ATTEMPTS, nextAttemptInMs, readRetryAfterMs } from './retry-schedule.ts';

const NOW = Date.UTC(2026, 10, 25, 12);
const DAY_MS = 86_400_000;

describe('retries of an event', () => {
  it('follow the schedule of the specification, over more than a day', () => {
    const delays = Array.from({ length: MAX_ATTEMPTS }, (_, index) => nextAttemptInMs(index + 1, 0, 0));
    const [s, min, h] = [1_000, 60_000, 3_600_000];
    expect(delays).toEqual([5 * s, 5 * min, 30 * min, 2 * h, 5 * h, 10 * h, 14 * h, null]);
    expect(delays.reduce<number>((sum, delay) => sum + (delay ?? 0), 0)).toBeGreaterThan(DAY_MS);
  });

  it('are spread by up to a fifth', () => {
    expect(nextAttemptInMs(1, 0, 1)).toBe(6_000);
    expect(nextAttemptInMs(1, 0, 0.5)).toBe(5_500);
  });

  it('wait at least as long as the receiver asks, and not longer than the schedule otherwise', () => {
    expect(nextAttemptInMs(1, 60_000, 0)).toBe(60_000);
    expect(nextAttemptInMs(3, 60_000, 0)).toBe(1_800_000);
    expect(nextAttemptInMs(MAX_ATTEMPTS, 60_000, 0)).toBeNull();
  });
});

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    [' 7 ', 7_000],
    ['Wed, 25 Nov 2026 12:00:30 GMT', 30_000],
    ['Wed, 25 Nov 2026 11:00:00 GMT', 0],
    ['9999999999', DAY_MS],
    ['Fri, 25 Nov 2050 12:00:00 GMT', DAY_MS],
    ['soon', 0],
    ['-5', 0],
    ['', 0],
  ])('"%s" is %i ms', (header, ms) => {
    expect(readRetryAfterMs(header, NOW)).toBe(ms);
  });

  it('may be missing', () => {
    expect(readRetryAfterMs(undefined, NOW)).toBe(0);
  });
});

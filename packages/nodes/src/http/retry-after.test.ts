import { describe, expect, it } from '@jest/globals';
import { retryAfterMs } from './retry-after.ts';

const NOW = Date.UTC(2026, 0, 1);

describe('the delay that a response asks for', () => {
  it.each<[string, Record<string, string>, number | undefined]>([
    ['seconds', { 'retry-after': '120' }, 120_000],
    ['no delay', { 'retry-after': '0' }, 0],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, 60_000],
    [
      "a date by the server's clock, which is an hour late",
      { 'retry-after': 'Wed, 31 Dec 2025 23:00:30 GMT', date: 'Wed, 31 Dec 2025 23:00:00 GMT' },
      30_000,
    ],
    ['a date in the past', { 'retry-after': 'Wed, 31 Dec 2025 23:00:30 GMT' }, 0],
    ['a date beside one that cannot be read', { 'retry-after': 'Thu, 01 Jan 2026 00:00:01 GMT', date: 'noon' }, 1_000],
    ['more seconds than a number has digits', { 'retry-after': '9'.repeat(400) }, Infinity],
  ])('is read: %s', (_what, headers, delay) => {
    expect(retryAfterMs(headers, NOW)).toBe(delay);
  });

  it.each(['', '-1', '1.5', '1e3', 'soon', 'Thu, 01 Jan 2026 00:01:00', '99 Jan 2026 GMT'])('is none: %p', (value) => {
    expect(retryAfterMs({ 'retry-after': value }, NOW)).toBeUndefined();
  });

  it('is none without the header', () => {
    expect(retryAfterMs({}, NOW)).toBeUndefined();
  });
});

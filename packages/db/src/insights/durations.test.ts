import { describe, expect, it } from '@jest/globals';
import { addCounts, percentileOf } from './durations.ts';

/** The counts of durations in ms, as the statement that counts runs has them. */
function countsOf(durations: readonly number[]): number[] {
  const counts: number[] = [];
  for (const ms of durations) {
    const bucket = Math.min(280, 1 + Math.floor(8 * Math.log2(Math.max(1, ms))));
    while (counts.length < bucket) counts.push(0);
    counts[bucket - 1]! += 1;
  }
  return counts;
}

describe('percentiles of counted durations', () => {
  it.each([1, 2, 3, 10, 999, 1_000, 86_400_000, 31_536_000_000])('are within 5 %% of %d ms, or a ms', (ms) => {
    const found = percentileOf(countsOf([ms]), 0.5)!;
    expect(Math.abs(found - ms)).toBeLessThanOrEqual(Math.max(1, ms * 0.05));
  });

  it('are those of all durations, in whatever parts they were counted', () => {
    const durations = Array.from({ length: 1_000 }, (_, index) => index + 1);
    const parts = [durations.slice(0, 10), durations.slice(10, 700), durations.slice(700)].map(countsOf);
    const counts = addCounts(parts);
    expect(counts).toEqual(countsOf(durations));
    for (const share of [0.5, 0.95]) {
      expect(Math.abs(percentileOf(counts, share)! / (1_000 * share) - 1)).toBeLessThan(0.05);
    }
  });

  it('are null without durations', () => {
    expect([percentileOf([], 0.5), percentileOf([0, 0], 0.5), percentileOf(addCounts([]), 0.95)]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

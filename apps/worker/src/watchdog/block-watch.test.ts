import { describe, expect, it } from '@jest/globals';
import { createBlockWatch } from './block-watch.ts';

const CHECK_MS = 250;

/** Checks a loop that does not tick, beginning at `from` ms. @returns for how long it counts as blocked, in ms. */
function checkBlocked(watch: ReturnType<typeof createBlockWatch>, ticks: number, from: number, checks: number): number {
  let blockedMs = 0;
  for (let i = 0; i < checks; i += 1) blockedMs = watch.check(ticks, from + i * CHECK_MS);
  return blockedMs;
}

describe('an event loop', () => {
  it('is blocked from its last tick until its next', () => {
    const watch = createBlockWatch(CHECK_MS);
    expect(watch.check(1, 0)).toBe(0);
    expect(watch.check(2, CHECK_MS)).toBe(0);
    expect(checkBlocked(watch, 2, 2 * CHECK_MS, 4)).toBe(1_000);
    expect(watch.check(3, 6 * CHECK_MS)).toBe(0);
  });

  it('does not count as blocked while the whole process stood still', () => {
    const watch = createBlockWatch(CHECK_MS);
    watch.check(1, 0);
    expect(watch.check(1, 60_000)).toBe(500);
  });
});

describe('the run that occupies the event loop', () => {
  it('is the one that all samples name', () => {
    const watch = createBlockWatch(CHECK_MS);
    checkBlocked(watch, 1, 0, 8);
    for (let i = 0; i < 3; i += 1) watch.sampled('a');
    expect(watch.occupant()).toBe('a');
  });

  it.each([
    ['there is only one sample', ['a']],
    ['samples name several', ['a', 'a', 'b']],
    ['one sample names no run', ['a', 'a', null]],
    ['there is no sample', []],
  ])('is not known when %s', (_, samples) => {
    const watch = createBlockWatch(CHECK_MS);
    checkBlocked(watch, 1, 0, 8);
    for (const sample of samples) watch.sampled(sample);
    expect(watch.occupant()).toBeNull();
  });

  it('is forgotten when the event loop ticks again', () => {
    const watch = createBlockWatch(CHECK_MS);
    checkBlocked(watch, 1, 0, 8);
    watch.sampled('a');
    watch.sampled('a');
    watch.check(2, 9 * CHECK_MS);
    expect(watch.occupant()).toBeNull();
    checkBlocked(watch, 2, 10 * CHECK_MS, 8);
    watch.sampled('b');
    expect(watch.occupant()).toBeNull();
  });
});

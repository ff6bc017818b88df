import type { Steps, Work } from './slices.ts';

/**
 * Sorts the numbers from 0 to `count` - 1 by merging; equal ones keep their order. The sorted items are not touched, so
 * sorting a long list creates no garbage.
 */
export function* sortInSteps(count: number, compare: (a: number, b: number) => number, work: Work): Steps<Uint32Array> {
  let from = new Uint32Array(count);
  for (let index = 0; index < count; index += 1) from[index] = index;
  let to = new Uint32Array(count);
  for (let width = 1; width < count; width *= 2) {
    for (let start = 0; start < count; start += 2 * width) {
      const middle = Math.min(start + width, count);
      const end = Math.min(start + 2 * width, count);
      let left = start;
      let right = middle;
      for (let at = start; at < end; at += 1) {
        const a = from[left] ?? 0;
        const b = from[right] ?? 0;
        const isLeft = right >= end || (left < middle && compare(a, b) <= 0);
        to[at] = isLeft ? a : b;
        if (isLeft) left += 1;
        else right += 1;
        if (work.spend(1)) yield;
      }
    }
    [from, to] = [to, from];
  }
  return from;
}

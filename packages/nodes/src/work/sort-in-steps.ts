import type { Steps, Work } from './slices.js';

/** Sorts a copy of a list by merging; items that compare as 0 keep their order. */
export function* sortInSteps<T extends object>(
  list: readonly T[],
  compare: (a: T, b: T) => number,
  work: Work,
): Steps<T[]> {
  let from = [...list];
  for (let width = 1; width < list.length; width *= 2) {
    const to: T[] = [];
    for (let start = 0; start < list.length; start += 2 * width) {
      const middle = Math.min(start + width, list.length);
      const end = Math.min(start + 2 * width, list.length);
      let left = start;
      let right = middle;
      while (left < middle || right < end) {
        const a = left < middle ? from[left] : undefined;
        const b = right < end ? from[right] : undefined;
        const isLeft = b === undefined || (a !== undefined && compare(a, b) <= 0);
        const next = isLeft ? a : b;
        if (isLeft) left += 1;
        else right += 1;
        if (next !== undefined) to.push(next);
        if (work.spend(1)) yield;
      }
    }
    from = to;
  }
  return from;
}

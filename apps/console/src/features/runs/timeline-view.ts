import type { Span } from './bars.ts';

/** All of the timeline; other views are parts of it, in percent. */
export const WHOLE: Span = { left: 0, width: 100 };
/** The shortest view, in percent. */
const MIN_WIDTH = 0.01;

/** Returns a view of another length around a point, in percent, within the timeline. @param factor below 1 for less */
export function zoom({ width }: Span, factor: number, center: number): Span {
  const next = Math.min(100, Math.max(MIN_WIDTH, width * factor));
  return within(center - next / 2, next);
}

/** Returns the view beside one. @param share of its length; negative for earlier */
export function shift({ left, width }: Span, share: number): Span {
  return within(left + width * share, width);
}

/** Returns the view between two points of another, in any order, both as a share of it from 0 to 1. */
export function between(view: Span, [one, other]: readonly [number, number]): Span {
  const [from, to] = [Math.max(0, Math.min(one, other)), Math.min(1, Math.max(one, other))];
  return within(view.left + view.width * from, Math.max(MIN_WIDTH, view.width * (to - from)));
}

/** Returns where a span of the timeline is in a view; outside of it below 0 or above 100. */
export function inView({ left, width }: Span, view: Span): Span {
  return { left: ((left - view.left) / view.width) * 100, width: (width / view.width) * 100 };
}

/** Returns the part of a span that is on the timeline; without a length if none is. */
export function clipped({ left, width }: Span): Span {
  const from = Math.min(100, Math.max(0, left));
  return { left: from, width: Math.min(100, Math.max(0, left + width)) - from };
}

function within(left: number, width: number): Span {
  return { left: Math.min(100 - width, Math.max(0, left)), width };
}

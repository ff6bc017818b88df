import { describe, expect, it } from '@jest/globals';
import { between, clipped, inView, shift, WHOLE, zoom } from './timeline-view.ts';

it('a span is cut at the ends of the timeline', () => {
  expect(clipped({ left: 80, width: 40 })).toEqual({ left: 80, width: 20 });
  expect(clipped({ left: -10, width: 30 })).toEqual({ left: 0, width: 20 });
  expect(clipped({ left: 150, width: 50 })).toEqual({ left: 100, width: 0 });
  expect(clipped({ left: 10, width: 20 })).toEqual({ left: 10, width: 20 });
});

describe('a view of the timeline', () => {
  it('is zoomed around a point, within the timeline', () => {
    expect(zoom(WHOLE, 0.5, 40)).toEqual({ left: 15, width: 50 });
    expect(zoom(WHOLE, 0.5, 5)).toEqual({ left: 0, width: 50 });
    expect(zoom(WHOLE, 0.5, 99)).toEqual({ left: 50, width: 50 });
    expect(zoom({ left: 50, width: 50 }, 4, 75)).toEqual(WHOLE);
    expect(zoom({ left: 50, width: 0.011 }, 0.5, 50).width).toBe(0.01);
  });

  it('is moved as far as the timeline goes', () => {
    expect(shift({ left: 20, width: 10 }, 0.5)).toEqual({ left: 25, width: 10 });
    expect(shift({ left: 2, width: 10 }, -0.5)).toEqual({ left: 0, width: 10 });
    expect(shift({ left: 88, width: 10 }, 0.5)).toEqual({ left: 90, width: 10 });
  });

  it('is chosen as a part of another, from either end', () => {
    const view = { left: 50, width: 50 };
    expect(between(view, [0.25, 0.75])).toEqual({ left: 62.5, width: 25 });
    expect(between(view, [0.75, -1])).toEqual({ left: 50, width: 37.5 });
  });

  it('shows spans in its own percent', () => {
    expect(inView({ left: 60, width: 10 }, { left: 50, width: 20 })).toEqual({ left: 50, width: 50 });
    expect(inView({ left: 0, width: 10 }, WHOLE)).toEqual({ left: 0, width: 10 });
  });
});

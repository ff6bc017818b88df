import { describe, expect, it } from '@jest/globals';
import { createFairOrder } from './fair-order.js';

describe('the fair order of jobs', () => {
  it('places the run of an idle flow before the backlog of another', () => {
    const order = createFairOrder({ maxPriority: 2_097_151 });
    const busy = Array.from({ length: 50_000 }, () => order.next('busy', 1));
    const idle = order.next('idle', 1);
    expect(busy.filter((priority) => priority <= idle)).toHaveLength(64);
  });

  it('gives flows equal shares in runs, whatever the size of their jobs', () => {
    const order = createFairOrder({ maxPriority: 2_097_151 });
    const small = Array.from({ length: 1_600 }, () => order.next('small', 1));
    const large = Array.from({ length: 100 }, () => order.next('large', 16));
    for (const round of [1, 5, 25]) {
      const runsUpTo = (priorities: number[], size: number) => priorities.filter((p) => p <= round).length * size;
      expect(runsUpTo(small, 1)).toBe(runsUpTo(large, 16));
    }
  });

  it('gives a flow neither credit for idle time nor debt for runs of long ago', () => {
    const order = createFairOrder({ maxPriority: 2_097_151 });
    for (let i = 0; i < 6_400; i += 1) order.next('busy', 1);
    order.observe({ served: 50, base: 0 });
    expect([order.next('idle', 1), order.next('busy', 1)]).toEqual([51, 101]);
    order.observe({ served: 199, base: 0 });
    expect([order.next('idle', 1), order.next('busy', 1)]).toEqual([200, 200]);
    expect(order.latest()).toBe(199);
  });

  it('never lets virtual time go back, so that later jobs do not overtake waiting ones', () => {
    const order = createFairOrder({ maxPriority: 2_097_151 });
    order.observe({ served: 300, base: 0 });
    order.observe({ served: 0, base: 0 });
    expect(order.next('any', 1)).toBe(301);
  });

  it('counts priorities from the base, and keeps them in range', () => {
    const order = createFairOrder({ maxPriority: 2_097_151 });
    expect(order.next('endless', 64 * 3_000_000)).toBe(1);
    expect(order.next('endless', 1)).toBe(2_097_151);
    order.observe({ served: 3_000_000, base: 3_000_000 });
    expect(order.next('endless', 1)).toBe(1);
    order.observe({ served: 3_000_000, base: 3_000_001 });
    expect(order.next('other', 1)).toBe(1);
  });
});

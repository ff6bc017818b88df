import { describe, expect, it } from '@jest/globals';
import { createFairOrder } from './fair-order.js';

describe('the fair order of jobs', () => {
  it('lets the run of a flow that was idle go before what another has queued already', () => {
    const order = createFairOrder();
    const busy = Array.from({ length: 50_000 }, () => order.next('busy', 1));
    const idle = order.next('idle', 1);
    expect(busy.filter((priority) => priority <= idle)).toHaveLength(64);
  });

  it('lets flows take turns that are equal in runs, whatever the size of their jobs', () => {
    const order = createFairOrder();
    const small = Array.from({ length: 1_600 }, () => order.next('small', 1));
    const large = Array.from({ length: 100 }, () => order.next('large', 16));
    for (const round of [1, 5, 25]) {
      const runsUpTo = (priorities: number[], size: number) => priorities.filter((p) => p <= round).length * size;
      expect(runsUpTo(small, 1)).toBe(runsUpTo(large, 16));
    }
  });

  it('owes nothing to a flow that was idle, and keeps none behind for what it had long ago', () => {
    const order = createFairOrder();
    for (let i = 0; i < 6_400; i += 1) order.next('busy', 1);
    order.observe(51);
    expect([order.next('idle', 1), order.next('busy', 1)]).toEqual([51, 101]);
    order.observe(200);
    expect([order.next('idle', 1), order.next('busy', 1)]).toEqual([200, 200]);
  });

  it('begins anew once nothing waits, and never leaves the range of priorities', () => {
    const order = createFairOrder();
    expect(order.next('endless', 64 * 3_000_000)).toBe(1);
    expect(order.next('endless', 1)).toBe(2_097_152);
    order.observe(null);
    expect(order.next('endless', 1)).toBe(1);
  });
});

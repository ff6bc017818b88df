import { describe, expect, it } from '@jest/globals';
import { createFairOrder } from './fair-order.ts';

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
    for (const round of [3, 7, 27]) {
      const runsUpTo = (priorities: number[], size: number) => priorities.filter((p) => p <= round).length * size;
      expect(runsUpTo(small, 1)).toBe(runsUpTo(large, 16));
    }
  });

  it('gives a flow neither credit for idle time nor debt for runs of long ago', () => {
    const order = createFairOrder({ maxPriority: 2_097_151 });
    for (let i = 0; i < 6_400; i += 1) order.next('busy', 1);
    order.observe({ served: 50, base: 0 });
    expect([order.next('idle', 1), order.next('busy', 1)]).toEqual([51, 103]);
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
    expect(order.next('endless', 64 * 3_000_000)).toBe(3);
    expect(order.next('endless', 1)).toBe(2_097_151);
    order.observe({ served: 3_000_002, base: 3_000_002 });
    expect(order.next('endless', 1)).toBe(1);
    order.observe({ served: 3_000_002, base: 3_000_003 });
    expect(order.next('other', 1)).toBe(1);
  });

  describe('with priorities', () => {
    const PRIORITIES = [2, 1, 0, -1, -2];

    it('goes by priority among runs that wait, whatever was queued first', () => {
      for (const queued of [PRIORITIES, PRIORITIES.toReversed(), [0, 2, -1, 1, -2]]) {
        const order = createFairOrder({ maxPriority: 2_097_151 });
        for (let i = 0; i < 30; i += 1) order.next('one', 1);
        const positions = new Map(queued.map((priority) => [priority, order.next('one', 1, priority)]));
        const sorted = [...positions].sort(([, a], [, b]) => a - b).map(([priority]) => priority);
        expect(sorted).toEqual(PRIORITIES);
      }
    });

    it('lets a run overtake the whole backlog of its flow, and go before others by two rounds at most', () => {
      const order = createFairOrder({ maxPriority: 2_097_151 });
      order.observe({ served: 1_000, base: 0 });
      const backlog = Array.from({ length: 50_000 }, () => order.next('busy', 1));
      const urgent = order.next('busy', 1, 1);
      expect(urgent).toBeLessThan(Math.min(...backlog));
      expect(order.next('busy', 1, 2)).toBeLessThan(urgent);
      expect(order.next('other', 1) - order.next('busy', 1, 2)).toBe(2);
    });

    it('lets a flow with priorities have a quarter more than its share at most', () => {
      const order = createFairOrder({ maxPriority: 2_097_151 });
      const mixed = Array.from({ length: 50_000 }, (_, i) =>
        order.next('mixed', 1, (i % 3) - 1 + (i % 7 === 0 ? 1 : 0)),
      );
      const plain = Array.from({ length: 50_000 }, () => order.next('plain', 1));
      const upTo = (positions: number[], round: number) => positions.filter((position) => position <= round).length;
      for (const round of [10, 50, 100, 500]) {
        expect(upTo(mixed, round)).toBeLessThanOrEqual(1.25 * upTo(plain, round) + 2 * 64);
      }
    });

    it.each([
      [0, 0],
      [-1, 16],
      [-2, 32],
    ])('lets a run of priority %i wait for a bounded number of later ones', (priority, roundsLater) => {
      const order = createFairOrder({ maxPriority: 2_097_151 });
      const rounds = 100;
      for (let i = 0; i < rounds * 64; i += 1) order.next('one', 1);
      const own = order.next('one', 1, priority);
      const later = Array.from({ length: 100_000 }, (_, i) => order.next('one', 1, PRIORITIES[i % 5] ?? 0));
      const overtaking = later.filter((position) => position <= own).length;
      expect(overtaking).toBeLessThanOrEqual((rounds + roundsLater + 2) * 16 + (roundsLater + 3) * 64);
    });

    it('leaves other flows, and later runs, where they were', () => {
      const order = createFairOrder({ maxPriority: 2_097_151 });
      for (let i = 0; i < 640; i += 1) order.next('one', 1);
      for (let i = 0; i < 16; i += 1) order.next('one', 1, 2);
      expect([order.next('one', 1), order.next('other', 1)]).toEqual([13, 3]);
      order.observe({ served: 12, base: 0 });
      expect([order.next('one', 1), order.next('other', 1)]).toEqual([13, 13]);
    });
  });
});

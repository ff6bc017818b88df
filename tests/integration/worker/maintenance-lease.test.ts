import { connectRedis, MAINTENANCE_DEPUTIES_KEY, MAINTENANCE_LEASE_KEY, type Redis } from '@deckhand/queue';
import { createMaintenanceLease, type MaintenanceLease } from '@deckhand/worker';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestRedis, stopAll, stopLater, until } from '../../harness/index.ts';

const HOUR_MS = 3_600_000;

let redis: Redis;
let now: number;

beforeAll(async () => {
  const server = await startTestRedis();
  redis = connectRedis(server.url, { role: 'producer' });
  stopLater({
    stop() {
      redis.disconnect();
      return Promise.resolve();
    },
  });
  await until(() => redis.status === 'ready');
});
afterAll(stopAll);
beforeEach(async () => {
  now = 0;
  taken.length = 0;
  await redis.del(MAINTENANCE_LEASE_KEY, MAINTENANCE_DEPUTIES_KEY);
});

/** Ids of the workers that took the lease. */
const taken: string[] = [];

function lease(workerId: string, clock: { offsetMs: number } = { offsetMs: 0 }): MaintenanceLease {
  return createMaintenanceLease({
    workerId,
    redis,
    clockOffsetMs: () => clock.offsetMs,
    onTaken: () => taken.push(workerId),
    now: () => now,
  });
}

/** Advances the clock in steps in which each renews. Redis's own clock, by which the lease would end, does not move. */
async function pass(ms: number, leases: readonly MaintenanceLease[]): Promise<void> {
  for (const end = now + ms; now < end; now += 500) for (const one of leases) await one.renew();
}

describe('the maintenance lease', () => {
  it('is held by one, until that one gives it up', async () => {
    const [a, b] = [lease('a'), lease('b')];
    await pass(1_000, [a, b]);
    expect([a.isHeld(), b.isHeld()]).toEqual([true, false]);
    await a.giveUp();
    await pass(1_000, [a, b]);
    expect([a.isHeld(), b.isHeld()]).toEqual([false, true]);
    expect(taken).toEqual(['a', 'b']);
  });

  it('has three deputies, one of which takes it next; the others ask for it less often', async () => {
    const all = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => lease(id));
    await pass(500, all);
    expect(all.map((one) => one.isHeld())).toEqual([true, false, false, false, false, false]);
    expect(all.map((one) => one.isNear())).toEqual([true, true, true, true, false, false]);
    const [a, , , , e] = all;
    await a?.giveUp();
    expect(a?.isNear()).toBe(false);
    await e?.renew();
    expect(e?.isHeld()).toBe(false);
    await pass(500, all);
    expect(all.map((one) => one.isHeld())).toEqual([false, true, false, false, false, false]);
  });

  it('is taken by any other, when the holder and its deputies are gone and its heartbeat finds that', async () => {
    const gone = ['a', 'b', 'c', 'd'].map((id) => lease(id));
    const left = lease('e');
    await pass(500, [...gone, left]);
    expect(left.isNear()).toBe(false);
    await redis.del(MAINTENANCE_LEASE_KEY, MAINTENANCE_DEPUTIES_KEY);
    await pass(500, [left]);
    expect(left.isHeld()).toBe(false);
    left.deputyIsMissing();
    await pass(500, [left]);
    expect(left.isHeld()).toBe(true);
  });

  it('is not held any more by one that could not renew it in time', async () => {
    const a = lease('a');
    await a.renew();
    now = 2_499;
    expect(a.isHeld()).toBe(true);
    now = 2_500;
    expect(a.isHeld()).toBe(false);
  });

  it('is left to others for a moment by one that cannot reach the database', async () => {
    const [a, b] = [lease('a'), lease('b')];
    await pass(500, [a, b]);
    await a.letOthersTry();
    expect(a.isHeld()).toBe(false);
    await pass(1_000, [a, b]);
    expect([a.isHeld(), b.isHeld()]).toEqual([false, true]);
  });

  it('comes back to one that let others try when nobody did', async () => {
    const a = lease('a');
    await a.renew();
    await a.letOthersTry();
    await pass(1_000, [a]);
    expect(a.isHeld()).toBe(false);
    await pass(1_500, [a]);
    expect(a.isHeld()).toBe(true);
  });

  it.each([HOUR_MS, -HOUR_MS, 2_001])('is yielded by one whose clock is off by %d ms', async (offsetMs) => {
    const clock = { offsetMs: 0 };
    const [a, b] = [lease('a', clock), lease('b')];
    await pass(500, [a, b]);
    expect(a.isHeld()).toBe(true);
    clock.offsetMs = offsetMs;
    await pass(1_000, [a, b]);
    expect([a.isHeld(), b.isHeld()]).toEqual([false, true]);
  });

  it('is kept by one whose clock is off by 2 s or less', async () => {
    const a = lease('a', { offsetMs: 2_000 });
    await a.renew();
    expect(a.isHeld()).toBe(true);
  });

  it('is taken by one whose clock is off once nobody else took it for 5 s', async () => {
    const a = lease('a', { offsetMs: HOUR_MS });
    await pass(5_000, [a]);
    expect(a.isHeld()).toBe(false);
    await pass(1_000, [a]);
    expect(a.isHeld()).toBe(true);
    await pass(20_000, [a]);
    expect(a.isHeld()).toBe(true);
  });

  it('moves from a worker whose clock is off to the first whose clock is right, and stays there', async () => {
    const [a, b] = [lease('a', { offsetMs: HOUR_MS }), lease('b')];
    await pass(6_000, [a]);
    expect(a.isHeld()).toBe(true);
    await pass(1_000, [b, a]);
    expect([a.isHeld(), b.isHeld()]).toEqual([false, true]);
    await pass(10_000, [a, b]);
    expect([a.isHeld(), b.isHeld()]).toEqual([false, true]);
  });

  it('is not passed around by several workers whose clocks are off', async () => {
    const [a, b] = [lease('a', { offsetMs: HOUR_MS }), lease('b', { offsetMs: -HOUR_MS })];
    await pass(6_000, [a, b]);
    expect([a.isHeld(), b.isHeld()].filter(Boolean)).toHaveLength(1);
    const [wasA] = [a.isHeld()];
    await pass(10_000, [a, b]);
    expect([a.isHeld(), b.isHeld()]).toEqual([wasA, !wasA]);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { FleetEntry } from './read-fleet.ts';
import { createLiveness } from './liveness.ts';

const LIFETIME_MS = 3_000;

function worker(id: string, beat: number, loop: Partial<FleetEntry> = {}): FleetEntry {
  return {
    id,
    host: 'here',
    pid: 1,
    version: 'test',
    state: 'consuming',
    concurrency: 1,
    active: 0,
    startedAt: '',
    lastSeenAt: String(beat),
    silentForMs: 0,
    lifetimeMs: LIFETIME_MS,
    isLive: true,
    isStandby: false,
    blockedMs: 0,
    occupiedBy: null,
    ...loop,
  };
}

describe('a worker', () => {
  it('is dead once its heartbeat has not changed for its lifetime', () => {
    const liveness = createLiveness(LIFETIME_MS);
    for (let second = 0; second <= 2; second += 1) liveness.observe([worker('a', 1)], second * 1_000);
    expect(liveness.isDead('a')).toBe(false);
    liveness.observe([worker('a', 1)], 3_000);
    expect(liveness.isDead('a')).toBe(true);
    // From then on nobody can be heard of.
    liveness.interrupt();
    expect(liveness.isDead('a')).toBe(false);
  });

  it('that announced that its heartbeats come rarely is dead once that lifetime is over', () => {
    const liveness = createLiveness(LIFETIME_MS);
    const rare = worker('a', 1, { lifetimeMs: 7_000 });
    for (let second = 0; second <= 6; second += 1) liveness.observe([rare], second * 1_000);
    expect(liveness.isDead('a')).toBe(false);
    liveness.observe([rare], 7_000);
    expect(liveness.isDead('a')).toBe(true);
  });

  it('is dead as fast as any other once it announced that its heartbeats come often again', () => {
    const liveness = createLiveness(LIFETIME_MS);
    liveness.observe([worker('a', 1, { lifetimeMs: 7_000 })], 0);
    for (let second = 1; second <= 4; second += 1) liveness.observe([worker('a', 2)], second * 1_000);
    expect(liveness.isDead('a')).toBe(true);
  });

  it('that is missing is dead once the lifetime of its last heartbeat is over', () => {
    const liveness = createLiveness(LIFETIME_MS);
    liveness.observe([worker('a', 1, { lifetimeMs: 7_000 })], 0);
    for (let second = 1; second <= 7; second += 1) liveness.observe([], second * 1_000);
    expect(liveness.isDead('a')).toBe(false);
    liveness.observe([], 8_000);
    expect(liveness.isDead('a')).toBe(true);
  });

  it('is alive again with its next heartbeat', () => {
    const liveness = createLiveness(LIFETIME_MS);
    for (let second = 0; second <= 4; second += 1) liveness.observe([worker('a', 1)], second * 1_000);
    liveness.observe([worker('a', 2)], 5_000);
    expect(liveness.isDead('a')).toBe(false);
  });

  it('is not dead because Redis could not be read for a while', () => {
    const liveness = createLiveness(LIFETIME_MS);
    liveness.observe([worker('a', 1)], 0);
    liveness.observe([worker('a', 1)], 20_000);
    expect(liveness.isDead('a')).toBe(false);
  });

  it('is not dead because Redis lost everything, unless it stays missing', () => {
    const liveness = createLiveness(LIFETIME_MS);
    liveness.observe([worker('a', 1)], 0);
    liveness.observe([], 1_000);
    expect(liveness.isDead('a')).toBe(false);
    for (let second = 2; second <= 4; second += 1) liveness.observe([], second * 1_000);
    expect(liveness.isDead('a')).toBe(true);
  });

  it('is not dead because heartbeats could not be written, however long that lasts', () => {
    const liveness = createLiveness(LIFETIME_MS);
    let now = 0;
    const read = () => {
      liveness.observe([worker('a', 1)], now);
      now += 500;
    };
    for (let reading = 0; reading < 4; reading += 1) read();
    for (let failure = 0; failure < 60; failure += 1) {
      liveness.interrupt();
      now += 500;
    }
    // Writes work again, and its next heartbeat takes a moment.
    for (let reading = 0; reading < 6; reading += 1) {
      read();
      expect(liveness.isDead('a')).toBe(false);
    }
    read();
    expect(liveness.isDead('a')).toBe(true);
  });

  it('is not dead while every other reading fails', () => {
    const liveness = createLiveness(LIFETIME_MS);
    for (let now = 0; now < 30_000; now += 1_000) {
      liveness.observe([worker('a', 1)], now);
      liveness.interrupt();
      expect(liveness.isDead('a')).toBe(false);
    }
  });

  it('is not dead because the reader stood still for a while', () => {
    const liveness = createLiveness(LIFETIME_MS);
    for (let now = 0; now <= 1_000; now += 500) liveness.observe([worker('a', 1)], now);
    liveness.observe([worker('a', 1)], 30_000);
    liveness.observe([worker('a', 1)], 30_500);
    expect(liveness.isDead('a')).toBe(false);
    liveness.observe([worker('a', 2)], 31_000);
    expect(liveness.isDead('a')).toBe(false);
  });

  it('is found dead also by a reader that is always late', () => {
    const liveness = createLiveness(LIFETIME_MS);
    for (let now = 0; now <= 8_000; now += 2_000) liveness.observe([worker('a', 1)], now);
    expect(liveness.isDead('a')).toBe(true);
  });

  it('is watched before it counts as dead, if it never sent a heartbeat', () => {
    const liveness = createLiveness(LIFETIME_MS);
    expect(liveness.isDead('gone')).toBe(false);
    for (let second = 11; second <= 14; second += 1) liveness.observe([], second * 1_000);
    expect(liveness.isDead('gone')).toBe(true);
  });
});

describe('a worker whose event loop is blocked', () => {
  it('is blocked after 3 s, until its event loop runs again', () => {
    const liveness = createLiveness(LIFETIME_MS);
    const isBlocked = (blockedMs: number) => {
      liveness.observe([worker('a', 1, { blockedMs, occupiedBy: 'run' })], 0);
      return liveness.isBlocked('a');
    };
    expect([0, 2_900, 3_100, 0].map(isBlocked)).toEqual([false, false, true, false]);
  });

  it('is not blocked by an old heartbeat, or one that cannot be read', () => {
    const liveness = createLiveness(LIFETIME_MS);
    liveness.observe([worker('a', 1, { blockedMs: 9_000, isLive: false })], 0);
    expect(liveness.isBlocked('a')).toBe(false);
    liveness.observe([worker('a', 2, { blockedMs: 9_000 })], 500);
    liveness.interrupt();
    expect(liveness.isBlocked('a')).toBe(false);
  });

  it('names the run that blocked it at its last heartbeat, even when it is missing', () => {
    const liveness = createLiveness(LIFETIME_MS);
    liveness.observe([worker('a', 1, { blockedMs: 1_500, occupiedBy: 'run' }), worker('b', 1)], 0);
    for (let second = 1; second <= 5; second += 1) liveness.observe([], second * 1_000);
    expect([liveness.isDead('a'), liveness.blockingRunOf('a')]).toEqual([true, 'run']);
    expect([liveness.isDead('b'), liveness.blockingRunOf('b')]).toEqual([true, null]);
  });

  it('names no run once its event loop runs again', () => {
    const liveness = createLiveness(LIFETIME_MS);
    liveness.observe([worker('a', 1, { blockedMs: 1_500, occupiedBy: 'run' })], 0);
    liveness.observe([worker('a', 2)], 1_000);
    expect(liveness.blockingRunOf('a')).toBeNull();
  });
});

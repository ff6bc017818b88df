import { describe, expect, it } from '@jest/globals';
import { createStandby, type StandbyOptions } from './standby.ts';

/** A worker that stands by or not, at a time that the test sets. */
function standby({
  isFirst = false,
  ...options
}: { isFirst?: boolean } & Omit<Partial<StandbyOptions>, 'isFirst'> = {}) {
  const state = { now: 0, isFirst, isBusy: false, isWoken: false, isSilent: false, sent: 0, ended: 0 };
  const decision = createStandby({
    wakeUps: {
      wait: () => (state.isSilent ? new Promise(() => undefined) : Promise.resolve(state.isWoken)),
      send() {
        state.sent += 1;
        return Promise.resolve();
      },
      close: () => undefined,
    },
    isFirst: () => state.isFirst,
    now: () => state.now,
    isBusy: () => state.isBusy,
    onEnded: () => (state.ended += 1),
    ...options,
  });
  return { state, decision };
}

describe('a worker', () => {
  it('takes jobs for its first second, and then only while it is the first', () => {
    const { state, decision } = standby();
    expect(decision.isStandingBy()).toBe(false);
    state.now = 1_000;
    expect(decision.isStandingBy()).toBe(true);
    state.isFirst = true;
    expect(decision.isStandingBy()).toBe(false);
  });

  it('takes jobs for half a second after a wake-up, and not after a wait without one', async () => {
    const { state, decision } = standby();
    state.now = 10_000;
    await decision.wait();
    expect(decision.isStandingBy()).toBe(true);
    state.isWoken = true;
    expect(state.ended).toBe(0);
    await decision.wait();
    expect(decision.isStandingBy()).toBe(false);
    expect(state.ended).toBe(1);
    await decision.wait();
    expect(state.ended).toBe(1);
    state.now += 500;
    expect(decision.isStandingBy()).toBe(true);
  });

  it('checks the queue after each wait near the first worker, elsewhere after one of two, or with shards each', async () => {
    const checksOf = async (options: Omit<Partial<StandbyOptions>, 'isFirst'>) => {
      const { decision, state } = standby({ isNear: () => false, ...options });
      state.now = 5_000;
      return [await decision.wait(), await decision.wait(), await decision.wait(), await decision.wait()];
    };
    expect(await checksOf({ isNear: () => true })).toEqual([true, true, true, true]);
    expect(await checksOf({})).toEqual([false, true, false, true]);
    expect(await checksOf({ hasShards: true })).toEqual([true, true, true, true]);
  });

  it('waits no longer once it becomes the first', async () => {
    const { state, decision } = standby();
    state.now = 10_000;
    state.isSilent = true;
    const waited = decision.wait();
    state.isFirst = true;
    decision.becomeFirst();
    await waited;
    expect(decision.isStandingBy()).toBe(false);
  });

  it('takes jobs for some seconds when nobody else does', () => {
    const { state, decision } = standby();
    state.now = 10_000;
    decision.queueIsUnattended();
    state.now += 4_999;
    expect(decision.isStandingBy()).toBe(false);
    state.now += 1;
    expect(decision.isStandingBy()).toBe(true);
  });

  it('wakes another while it has no time for more runs, at most every 20 ms', () => {
    const { state, decision } = standby({ isFirst: true });
    decision.wakeIfBusy();
    expect(state.sent).toBe(0);
    state.isBusy = true;
    for (; state.now < 40; state.now += 1) decision.wakeIfBusy();
    expect(state.sent).toBe(2);
  });

  it('wakes another when it has no room for more than half of the time, and not before', () => {
    const { state, decision } = standby({ isFirst: true });
    const fullFor = (ms: number): void => {
      const end = decision.noRoom();
      state.now += ms;
      end();
    };
    fullFor(49);
    state.now += 51;
    decision.wakeIfBusy();
    expect(state.sent).toBe(0);
    fullFor(30);
    state.now += 40;
    fullFor(30);
    decision.wakeIfBusy();
    expect(state.sent).toBe(1);
  });

  it('wakes another when it ends', () => {
    const { state, decision } = standby({ isFirst: true });
    decision.close();
    expect(state.sent).toBe(1);
  });
});

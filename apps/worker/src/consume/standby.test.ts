import { describe, expect, it } from '@jest/globals';
import {
  createStandby,
  nextStandby,
  type RoomWindow,
  type StandbyCommand,
  type StandbyEvent,
  type StandbyMode,
  type StandbyOptions,
  type StandbyState,
} from './standby.ts';

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

const NOW = 10_000;
const STANDS_BY: StandbyMode = { kind: 'standingBy', longWaits: 1 };
const TAKES: StandbyMode = { kind: 'taking', until: NOW + 100 };
const LONG_WAIT: StandbyMode = { kind: 'waiting', isLong: true, longWaits: 2 };
const ROOMY: RoomWindow = { since: NOW - 50, fullMs: 0, fullSince: undefined };
/** What a worker is in, what happens, and what changes. */
const STEPS: readonly {
  readonly title: string;
  readonly state?: Partial<StandbyState>;
  readonly event: StandbyEvent;
  readonly isFirst?: boolean;
  readonly next?: Partial<StandbyState>;
  readonly commands?: readonly StandbyCommand[];
}[] = [
  {
    title: 'a long wait is counted',
    event: { kind: 'waitBegan', isLong: true },
    next: { mode: LONG_WAIT },
  },
  {
    title: 'a short wait begins the count of long ones anew',
    event: { kind: 'waitBegan', isLong: false },
    next: { mode: { kind: 'waiting', isLong: false, longWaits: 0 } },
  },
  {
    title: 'a worker that takes jobs does not wait',
    state: { mode: TAKES },
    event: { kind: 'waitBegan', isLong: true },
  },
  {
    title: 'a wait without a wake-up changes nothing',
    state: { mode: LONG_WAIT },
    event: { kind: 'waitEnded', isWoken: false },
    next: { mode: { kind: 'standingBy', longWaits: 2 } },
  },
  {
    title: 'a wake-up lets it take jobs for half a second',
    state: { mode: LONG_WAIT },
    event: { kind: 'waitEnded', isWoken: true },
    next: { mode: { kind: 'taking', until: NOW + 500 } },
    commands: ['announce'],
  },
  {
    title: 'a wake-up of the first worker announces nothing',
    state: { mode: LONG_WAIT },
    event: { kind: 'waitEnded', isWoken: true },
    isFirst: true,
    next: { mode: { kind: 'taking', until: NOW + 500 } },
  },
  {
    title: 'a shorter reason to take jobs does not end a longer one',
    state: { mode: { kind: 'taking', until: NOW + 9_000 } },
    event: { kind: 'queueUnattended' },
  },
  {
    title: 'an unattended queue lets it take jobs for some seconds',
    event: { kind: 'queueUnattended' },
    next: { mode: { kind: 'taking', until: NOW + 5_000 } },
    commands: ['announce'],
  },
  {
    title: 'the first worker waits no longer',
    state: { mode: LONG_WAIT },
    event: { kind: 'becameFirst' },
    isFirst: true,
    commands: ['announce', 'endWait'],
  },
  {
    title: 'a busy worker wakes another',
    event: { kind: 'checked', isBusy: true },
    next: { wokeAt: NOW },
    commands: ['wakeAnother'],
  },
  {
    title: 'a busy worker wakes another at most every 20 ms',
    state: { wokeAt: NOW - 19 },
    event: { kind: 'checked', isBusy: true },
  },
  {
    title: 'time without room is counted until there is room',
    state: { room: { since: NOW - 90, fullMs: 10, fullSince: NOW - 30 } },
    event: { kind: 'roomFound' },
    next: { room: { since: NOW - 90, fullMs: 40, fullSince: undefined } },
  },
  {
    title: 'a window that is not over decides nothing',
    state: { room: { since: NOW - 99, fullMs: 0, fullSince: NOW - 99 } },
    event: { kind: 'checked', isBusy: false },
  },
  {
    title: 'a worker without room for half of a window wakes nobody',
    state: { room: { since: NOW - 100, fullMs: 50, fullSince: undefined } },
    event: { kind: 'checked', isBusy: false },
    next: { room: { since: NOW, fullMs: 0, fullSince: undefined } },
  },
  {
    title: 'a worker without room for more than half of a window wakes another, and the next window begins',
    state: { room: { since: NOW - 100, fullMs: 0, fullSince: NOW - 51 } },
    event: { kind: 'checked', isBusy: false },
    next: { room: { since: NOW, fullMs: 0, fullSince: NOW }, wokeAt: NOW },
    commands: ['wakeAnother'],
  },
  {
    title: 'one that ends wakes another',
    event: { kind: 'closing' },
    next: { wokeAt: NOW },
    commands: ['wakeAnother'],
  },
];

it.each(STEPS)('$title', ({ state, event, isFirst = false, next, commands = [] }) => {
  const before = { mode: STANDS_BY, room: ROOMY, wokeAt: -Infinity, ...state };
  const step = nextStandby(before, event, { now: NOW, isFirst });
  expect(step).toEqual({ state: { ...before, ...next }, commands });
});

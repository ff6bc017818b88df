import { MAX_WAIT_MS, type WakeUps } from '@deckhand/queue';
import { createBusyCheck } from './worker-health.ts';

/**
 * Decides whether this worker takes jobs or stands by. As few workers as necessary take jobs, because each writes what
 * its runs did in batches: the same runs on more workers make more and smaller batches, and cost more.
 *
 * The first worker, which holds the maintenance lease, always takes jobs. A worker without room or time wakes another,
 * which takes jobs for a while. Nothing depends on a wake-up or on the first worker: a few workers that stand by check
 * once a second whether anybody takes jobs, and the others every sixteen seconds; every four if the queue has several
 * shards, because those few may all belong to another one.
 */
export interface Standby {
  /** Returns true while this worker should not take jobs. */
  readonly isStandingBy: () => boolean;
  /**
   * Waits for a wake-up or to become the first worker, for at most a second, or eight if this worker is not near it.
   * @returns whether this worker has to check whether anybody takes jobs.
   * @throws the error of Redis.
   */
  wait(): Promise<boolean>;
  /** Returns whether a `wait` of several seconds is in progress. */
  readonly isAsleep: () => boolean;
  /** Ends a `wait` in progress, because this is the first worker from now on. */
  readonly becomeFirst: () => void;
  /** Notes that nobody takes jobs: this worker does for some seconds. */
  queueIsUnattended(): void;
  /** Wakes another worker if this one lacks time or room. Must be called after each job. */
  wakeIfBusy(): void;
  /** Notes that this worker has no room, and wakes another if that lasts. @returns a function that ends it. */
  noRoom(): () => void;
  /** Wakes another worker, which takes over from this one, and ends a `wait` in progress with an error. */
  close(): void;
}

/** How long a worker takes jobs, in ms: after its start, after a wake-up, and when nobody takes jobs. */
const FIRST_MS = 1_000;
const WOKEN_MS = 500;
const UNATTENDED_MS = 5_000;
/** Longest wait for a wake-up, in ms, of workers that watch over the first one, and of others if there are shards. */
const WAIT_MS = 1_000;
const SHARD_WAIT_MS = 4_000;
/** One in so many long waits ends with a check whether anybody takes jobs. */
const WAITS_PER_CHECK = 2;
/** Shortest time between two wake-ups, in ms. */
const WAKE_INTERVAL_MS = 20;
/** A worker that has no room for more than half of this time, in ms, wakes another. */
const ROOM_WINDOW_MS = 100;

/**
 * Whether a worker takes jobs. Times are of its steady clock, in ms. The first worker takes jobs in every mode.
 *
 * - `taking`: takes jobs until `until`.
 * - `standingBy`: is about to wait. `longWaits`: the long waits in a row, and with them some without a check.
 * - `waiting`: waits for a wake-up; `isLong` for a worker that does not watch over the first one.
 */
export type StandbyMode =
  | { readonly kind: 'taking'; readonly until: number }
  | { readonly kind: 'standingBy'; readonly longWaits: number }
  | { readonly kind: 'waiting'; readonly isLong: boolean; readonly longWaits: number };

/** How long a worker had no room since `since`. `fullSince`: since when it has none; undefined while it has room. */
export interface RoomWindow {
  readonly since: number;
  readonly fullMs: number;
  readonly fullSince: number | undefined;
}

/** The state of standing by. `wokeAt`: when this worker last woke another. */
export interface StandbyState {
  readonly mode: StandbyMode;
  readonly room: RoomWindow;
  readonly wokeAt: number;
}

/** What happens to a worker. `checked`: it compared its load with its room and time, as it does after each job. */
export type StandbyEvent =
  | { readonly kind: 'waitBegan'; readonly isLong: boolean }
  | { readonly kind: 'waitEnded'; readonly isWoken: boolean }
  | { readonly kind: 'queueUnattended' | 'becameFirst' | 'roomLost' | 'roomFound' | 'closing' }
  | { readonly kind: 'checked'; readonly isBusy: boolean };

/** What follows. `announce`: the worker no longer stands by; `endWait`: the wait in progress is over. */
export type StandbyCommand = 'announce' | 'endWait' | 'wakeAnother';

/** When an event happens, by the steady clock in ms, and whether the worker is the first then. */
interface StandbyMoment {
  readonly now: number;
  readonly isFirst: boolean;
}

/** The next state, and what follows. */
interface StandbyStep {
  readonly state: StandbyState;
  readonly commands: readonly StandbyCommand[];
}

/** Returns the state of a worker that starts: it takes jobs for a moment. */
function startingState(now: number): StandbyState {
  const room = { since: now, fullMs: 0, fullSince: undefined };
  return { mode: { kind: 'taking', until: now + FIRST_MS }, room, wokeAt: -Infinity };
}

/** Returns the state after an event, and what follows. */
export function nextStandby(state: StandbyState, event: StandbyEvent, at: StandbyMoment): StandbyStep {
  const { mode, room } = state;
  switch (event.kind) {
    case 'waitBegan': {
      if (!standsBy(state, at)) return { state, commands: [] };
      const longWaits = event.isLong ? longWaitsOf(mode) + 1 : 0;
      return { state: { ...state, mode: { kind: 'waiting', isLong: event.isLong, longWaits } }, commands: [] };
    }
    case 'waitEnded': {
      const waited: StandbyMode = mode.kind === 'waiting' ? { kind: 'standingBy', longWaits: mode.longWaits } : mode;
      const ended = { ...state, mode: waited };
      return event.isWoken ? takeJobs(ended, WOKEN_MS, at) : { state: ended, commands: [] };
    }
    case 'queueUnattended':
      return takeJobs(state, UNATTENDED_MS, at);
    case 'becameFirst':
      return { state, commands: ['announce', 'endWait'] };
    case 'roomLost':
      return { state: { ...state, room: { ...room, fullSince: at.now } }, commands: [] };
    case 'roomFound':
      return { state: { ...state, room: { ...countFull(room, at.now), fullSince: undefined } }, commands: [] };
    case 'checked':
      return check(state, event.isBusy, at.now);
    case 'closing':
      return wakeAnother(state, at.now);
  }
}

/** Returns whether a worker leaves jobs to others. */
function standsBy({ mode }: StandbyState, { now, isFirst }: StandbyMoment): boolean {
  return !isFirst && (mode.kind !== 'taking' || now >= mode.until);
}

function longWaitsOf(mode: StandbyMode): number {
  return mode.kind === 'taking' ? 0 : mode.longWaits;
}

function takeJobs(state: StandbyState, ms: number, at: StandbyMoment): StandbyStep {
  const before = state.mode.kind === 'taking' ? state.mode.until : -Infinity;
  const mode: StandbyMode = { kind: 'taking', until: Math.max(before, at.now + ms) };
  return { state: { ...state, mode }, commands: standsBy(state, at) ? ['announce'] : [] };
}

/** Wakes another worker if this one has no time, or had no room for most of the window. */
function check(state: StandbyState, isBusy: boolean, now: number): StandbyStep {
  const elapsedMs = now - state.room.since;
  const isOver = elapsedMs >= ROOM_WINDOW_MS;
  const room = isOver ? countFull(state.room, now) : state.room;
  const isFull = isOver && room.fullMs > elapsedMs / 2;
  const checked = isOver ? { ...state, room: { ...room, since: now, fullMs: 0 } } : state;
  return isBusy || isFull ? wakeAnother(checked, now) : { state: checked, commands: [] };
}

/** Adds the time without room until now. */
function countFull(room: RoomWindow, now: number): RoomWindow {
  if (room.fullSince === undefined) return room;
  return { ...room, fullMs: room.fullMs + now - room.fullSince, fullSince: now };
}

function wakeAnother(state: StandbyState, now: number): StandbyStep {
  if (now - state.wokeAt < WAKE_INTERVAL_MS) return { state, commands: [] };
  return { state: { ...state, wokeAt: now }, commands: ['wakeAnother'] };
}

/** What standing by needs. */
export interface StandbyOptions {
  readonly wakeUps: WakeUps;
  /** Returns whether this is the first worker. */
  readonly isFirst: () => boolean;
  /** Returns whether this is one of the few workers that watch over the first one; all do by default. */
  readonly isNear?: () => boolean;
  /** Whether the queue has several shards. */
  readonly hasShards?: boolean;
  /** Called when this worker no longer stands by, before it takes a job. */
  readonly onEnded?: () => void;
  /** A steady clock, in ms. */
  readonly now?: () => number;
  /** Returns whether this worker has no time for more runs. */
  readonly isBusy?: () => boolean;
}

/** Creates the decision of a worker that starts. */
export function createStandby({
  wakeUps,
  isFirst,
  isNear = () => true,
  hasShards = false,
  onEnded,
  now = () => performance.now(),
  isBusy = createBusyCheck(),
}: StandbyOptions): Standby {
  const longWaitMs = hasShards ? SHARD_WAIT_MS : MAX_WAIT_MS;
  let state = startingState(now());
  let endWait = (): void => undefined;
  let checking: NodeJS.Timeout | undefined;

  const moment = (): StandbyMoment => ({ now: now(), isFirst: isFirst() });
  const isStandingBy = (): boolean => standsBy(state, moment());

  function handle(event: StandbyEvent): void {
    const step = nextStandby(state, event, moment());
    ({ state } = step);
    step.commands.forEach(perform);
  }

  function perform(command: StandbyCommand): void {
    switch (command) {
      case 'announce':
        onEnded?.();
        return;
      case 'endWait':
        endWait();
        return;
      case 'wakeAnother':
        // Others find the waiting jobs without it, a little later.
        wakeUps.send().catch(() => undefined);
    }
  }

  const wakeIfBusy = (): void => handle({ kind: 'checked', isBusy: isBusy() });

  return {
    isStandingBy,
    isAsleep: () => state.mode.kind === 'waiting' && state.mode.isLong,
    async wait() {
      const isLong = !isNear();
      handle({ kind: 'waitBegan', isLong });
      // A promise for each wait: one for all of them would keep what each adds to it.
      const ended = Promise.withResolvers<false>();
      endWait = () => ended.resolve(false);
      let isWoken = false;
      try {
        isWoken = await Promise.race([wakeUps.wait(isLong ? longWaitMs : WAIT_MS), ended.promise]);
      } finally {
        handle({ kind: 'waitEnded', isWoken });
      }
      return isStandingBy() && (hasShards || longWaitsOf(state.mode) % WAITS_PER_CHECK === 0);
    },
    becomeFirst: () => handle({ kind: 'becameFirst' }),
    queueIsUnattended: () => handle({ kind: 'queueUnattended' }),
    wakeIfBusy,
    noRoom() {
      handle({ kind: 'roomLost' });
      checking = setInterval(wakeIfBusy, ROOM_WINDOW_MS);
      return () => {
        clearInterval(checking);
        handle({ kind: 'roomFound' });
      };
    },
    close() {
      clearInterval(checking);
      handle({ kind: 'closing' });
      wakeUps.close();
    },
  };
}

import { MAX_WAIT_MS, type WakeUps } from '@deckhand/queue';
import { createBusyCheck } from './busy-check.ts';

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
  let takesUntil = now() + FIRST_MS;
  let wokeAt = -Infinity;
  let windowStart = now();
  /** How long there was no room since `windowStart`, in ms, and since when there is none. */
  let fullMs = 0;
  let fullSince: number | undefined;
  let checking: NodeJS.Timeout | undefined;
  let isAsleep = false;
  let longWaits = 0;
  let isNowFirst = Promise.withResolvers<false>();

  const isStandingBy = (): boolean => !isFirst() && now() >= takesUntil;

  function takeFor(ms: number): void {
    const stoodBy = isStandingBy();
    takesUntil = Math.max(takesUntil, now() + ms);
    if (stoodBy) onEnded?.();
  }

  function wakeOther(): void {
    if (now() - wokeAt < WAKE_INTERVAL_MS) return;
    wokeAt = now();
    // Others find the waiting jobs without it, a little later.
    wakeUps.send().catch(() => undefined);
  }

  /** Adds the time without room until now. */
  function countFull(): void {
    if (fullSince === undefined) return;
    fullMs += now() - fullSince;
    fullSince = now();
  }

  function wakeIfBusy(): void {
    if (isBusy()) wakeOther();
    const elapsedMs = now() - windowStart;
    if (elapsedMs < ROOM_WINDOW_MS) return;
    countFull();
    if (fullMs > elapsedMs / 2) wakeOther();
    windowStart += elapsedMs;
    fullMs = 0;
  }

  return {
    isStandingBy,
    isAsleep: () => isAsleep,
    async wait() {
      isAsleep = !isNear();
      longWaits = isAsleep ? longWaits + 1 : 0;
      try {
        const wakeUp = wakeUps.wait(isAsleep ? longWaitMs : WAIT_MS);
        if (await Promise.race([wakeUp, isNowFirst.promise])) takeFor(WOKEN_MS);
        return isStandingBy() && (hasShards || longWaits % WAITS_PER_CHECK === 0);
      } finally {
        isAsleep = false;
      }
    },
    becomeFirst() {
      onEnded?.();
      isNowFirst.resolve(false);
      isNowFirst = Promise.withResolvers();
    },
    queueIsUnattended: () => takeFor(UNATTENDED_MS),
    wakeIfBusy,
    noRoom() {
      fullSince = now();
      checking = setInterval(wakeIfBusy, ROOM_WINDOW_MS);
      return () => {
        clearInterval(checking);
        countFull();
        fullSince = undefined;
      };
    },
    close() {
      clearInterval(checking);
      wakeOther();
      wakeUps.close();
    },
  };
}

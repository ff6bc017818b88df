import { BLOCKED_AFTER_MS } from './heartbeat.ts';
import type { FleetEntry } from './read-fleet.ts';

/** Detects dead and blocked workers by watching their heartbeats. */
export interface Liveness {
  /** Notes a reading of the fleet, made while heartbeats could be written. `now`: time of a steady clock, in ms. */
  observe(fleet: readonly FleetEntry[], now: number): void;
  /**
   * Notes that a reading failed: heartbeats could not be read or written. The silence of all workers counts from 0
   * again.
   */
  interrupt(): void;
  /**
   * True for a worker whose heartbeat did not change for its lifetime, over at least three readings without an
   * interruption. One that was never heard of is watched from now on.
   */
  isDead(workerId: string): boolean;
  /** True for a live worker whose event loop, as it said itself in the last reading, has not answered for too long. */
  isBlocked(workerId: string): boolean;
  /**
   * Returns the run that blocked a worker's event loop at its last heartbeat; null if there was none or it is not
   * certain.
   */
  blockingRunOf(workerId: string): string | null;
  /** True for a worker that said itself, in the last reading, that it can claim no runs. */
  cannotClaim(workerId: string): boolean;
}

interface Watched {
  seen: string;
  /** For how long readings have shown no new heartbeat, in ms. */
  silentMs: number;
  /** How long its last heartbeat is valid, in ms; undefined if none is known. */
  lifetimeMs: number | undefined;
  /** `occupiedBy` of its last heartbeat. */
  occupiedBy: string | null;
}

const NEVER_HEARD_OF: Readonly<Watched> = { seen: '', silentMs: 0, lifetimeMs: undefined, occupiedBy: null };

/**
 * Readings without a new heartbeat before a worker can be dead: the time between two counts up to this part of its
 * lifetime, since a gap in reading is not a silence of the worker.
 */
const MIN_READINGS = 3;

/**
 * Watches by its own clock and its own readings. So it does not matter whether clocks agree, and a Redis that lost its
 * data, was away or refused writes makes nobody dead: silence counts only from reading to reading, each of which has
 * shown that heartbeats could be written. A worker that is missing is silent only from the first reading that misses
 * it. A reader that stood still counts little of it.
 * @param defaultLifetimeMs how long a heartbeat may stay the same that says nothing else. The time between two readings
 * counts up to a third of it.
 */
export function createLiveness(defaultLifetimeMs: number): Liveness {
  const watched = new Map<string, Watched>();
  let withoutClaims: ReadonlySet<string> = new Set();
  let blocked: ReadonlySet<string> = new Set();
  let lastReadingAt = -Infinity;
  let isInterrupted = true;

  function see(workerId: string, heartbeat: string, sinceLastMs: number, worker?: FleetEntry): void {
    const before = watched.get(workerId);
    if (before?.seen !== heartbeat || isInterrupted) {
      const { occupiedBy, lifetimeMs } = worker ?? before ?? NEVER_HEARD_OF;
      watched.set(workerId, { seen: heartbeat, silentMs: 0, lifetimeMs, occupiedBy });
      return;
    }
    before.silentMs += sinceLastMs;
  }

  return {
    observe(fleet, now) {
      const sinceLastMs = Math.min(now - lastReadingAt, defaultLifetimeMs / MIN_READINGS);
      const present = new Set(fleet.map((worker) => worker.id));
      for (const worker of fleet) see(worker.id, worker.lastSeenAt, sinceLastMs, worker);
      for (const workerId of watched.keys()) if (!present.has(workerId)) see(workerId, '', sinceLastMs);
      withoutClaims = new Set(fleet.filter(({ state }) => state === 'stalled').map(({ id }) => id));
      blocked = new Set(
        fleet.filter(({ isLive, blockedMs }) => isLive && blockedMs > BLOCKED_AFTER_MS).map(({ id }) => id),
      );
      lastReadingAt = now;
      isInterrupted = false;
    },
    interrupt() {
      isInterrupted = true;
    },
    isDead(workerId) {
      const worker = watched.get(workerId);
      if (!worker) {
        watched.set(workerId, { ...NEVER_HEARD_OF });
        return false;
      }
      return !isInterrupted && worker.silentMs >= (worker.lifetimeMs ?? defaultLifetimeMs);
    },
    isBlocked: (workerId) => !isInterrupted && blocked.has(workerId),
    blockingRunOf: (workerId) => watched.get(workerId)?.occupiedBy ?? null,
    cannotClaim: (workerId) => withoutClaims.has(workerId),
  };
}

import type { FleetEntry } from '@deckhand/queue';

/** Tells dead workers from live ones by watching their heartbeats. */
export interface Liveness {
  /** Takes one reading of the fleet. `now`: any steady clock, in ms. */
  observe(fleet: readonly FleetEntry[], now: number): void;
  /** True for a worker whose heartbeat did not change for the lifetime, over at least three readings. */
  isDead(workerId: string, now: number): boolean;
}

interface Watched {
  seen: string;
  changedAt: number;
  /** Readings since the heartbeat last changed. */
  unchanged: number;
}

/** Readings without a new heartbeat before a worker can be dead: a gap in reading is no silence of the worker. */
const READINGS_MIN = 3;

/**
 * Watches by its own clock and its own readings. So it does not matter whether clocks agree, and a Redis that lost its data
 * or was away makes nobody dead: a worker that is missing is silent only from the first reading that misses it.
 * @param lifetimeMs how long a heartbeat may stay the same.
 */
export function createLiveness(lifetimeMs: number): Liveness {
  const watched = new Map<string, Watched>();

  function see(workerId: string, heartbeat: string, now: number): void {
    const before = watched.get(workerId);
    if (before?.seen === heartbeat) before.unchanged += 1;
    else watched.set(workerId, { seen: heartbeat, changedAt: now, unchanged: 0 });
  }

  return {
    observe(fleet, now) {
      const present = new Set(fleet.map((worker) => worker.id));
      for (const worker of fleet) see(worker.id, worker.lastSeenAt, now);
      for (const workerId of watched.keys()) if (!present.has(workerId)) see(workerId, '', now);
    },
    isDead(workerId, now) {
      const worker = watched.get(workerId);
      if (!worker) {
        // Never heard of: from now on it is watched like one that has just fallen silent.
        watched.set(workerId, { seen: '', changedAt: now, unchanged: 0 });
        return false;
      }
      return worker.unchanged >= READINGS_MIN && now - worker.changedAt >= lifetimeMs;
    },
  };
}

import {
  createLiveness,
  type FleetEntry,
  HEARTBEAT_LIFETIME_MS,
  type Liveness,
  readFleet,
  readWritableFleet,
  type Redis,
} from '@deckhand/queue';
import { setTimeout as sleep } from 'node:timers/promises';

/** Interval of the readings of heartbeats, in ms. */
const INTERVAL_MS = 500;
/** Maximum time of a decision, in ms: longer than it takes to recognize dead workers while Redis accepts writes. */
const MAX_WATCH_MS = 10_000;

/** Recognizes dead workers by the rule of maintenance: by several readings, never by the age of one heartbeat. */
export interface WorkerWatch extends Pick<Liveness, 'isDead' | 'cannotClaim'> {
  /** Reads the fleet once. @throws the error of Redis if it is unavailable. */
  read(): Promise<readonly FleetEntry[]>;
  /**
   * Reads until each of the workers has sent a heartbeat or is dead: at most 4 s, or 8 s for one that stood by.
   * @returns false if this cannot be decided, because Redis refuses writes, and so heartbeats.
   */
  decide(workerIds: Iterable<string>): Promise<boolean>;
}

/** Creates the watch. It reads nothing until it is called. */
export function createWorkerWatch(redis: Redis): WorkerWatch {
  const liveness = createLiveness(HEARTBEAT_LIFETIME_MS);
  const firstSeen = new Map<string, string>();
  const heardOf = new Set<string>();

  async function observe(): Promise<readonly FleetEntry[]> {
    try {
      const fleet = await readWritableFleet(redis);
      liveness.observe(fleet, performance.now());
      return fleet;
    } catch {
      liveness.interrupt();
      return readFleet(redis);
    }
  }

  async function read(): Promise<readonly FleetEntry[]> {
    const fleet = await observe();
    for (const { id, lastSeenAt } of fleet) {
      const first = firstSeen.get(id);
      if (first === undefined) firstSeen.set(id, lastSeenAt);
      else if (first !== lastSeenAt) heardOf.add(id);
    }
    return fleet;
  }

  return {
    read,
    async decide(workerIds) {
      const isUndecided = (id: string): boolean => !heardOf.has(id) && !liveness.isDead(id);
      const end = performance.now() + MAX_WATCH_MS;
      let undecided = [...workerIds].filter(isUndecided);
      while (undecided.length > 0) {
        if (performance.now() > end) return false;
        await read();
        undecided = undecided.filter(isUndecided);
        if (undecided.length > 0) await sleep(INTERVAL_MS);
      }
      return true;
    },
    isDead: (workerId) => liveness.isDead(workerId),
    cannotClaim: (workerId) => liveness.cannotClaim(workerId),
  };
}

import type { WorkerCounts } from '@deckhand/contracts';
import type { Redis } from './connect.js';
import { HEARTBEAT_LIFETIME_MS } from './heartbeat.js';
import { type FleetEntry, readFleet } from './read-fleet.js';

const REFRESH_INTERVAL_MS = 500;

/** The fleet as of at most a moment ago, kept off the request's path. */
export interface FleetView {
  /** Workers in time with their heartbeat, and those of them that get jobs or would. Zero while Redis cannot say. */
  counts(): WorkerCounts;
  workers(): readonly FleetEntry[];
  close(): void;
}

/** Starts to follow the fleet on a `producer` connection. */
export async function createFleetView(redis: Redis): Promise<FleetView> {
  let fleet: readonly FleetEntry[] = [];
  let readAt = 0;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  async function refresh(): Promise<void> {
    try {
      const askedAt = performance.now();
      fleet = await readFleet(redis);
      readAt = askedAt;
    } catch {
      // Redis is away: its owner logs that. Nobody is known to be live until it is back.
      fleet = [];
    }
    if (!isClosed) timer = setTimeout(() => void refresh(), REFRESH_INTERVAL_MS).unref();
  }

  /** A heartbeat goes on growing old between two readings. */
  function workers(): readonly FleetEntry[] {
    const since = performance.now() - readAt;
    return fleet.map((worker) => ({ ...worker, isLive: worker.silentForMs + since <= HEARTBEAT_LIFETIME_MS }));
  }

  await refresh();
  return {
    counts() {
      const since = performance.now() - readAt;
      let live = 0;
      let consuming = 0;
      for (const { silentForMs, state } of fleet) {
        if (silentForMs + since > HEARTBEAT_LIFETIME_MS) continue;
        live += 1;
        if (state === 'consuming') consuming += 1;
      }
      return { live, consuming };
    },
    workers,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

import type { WorkerCounts } from '@deckhand/contracts';
import type { Redis } from 'ioredis';
import { readFleet, type FleetEntry } from './heartbeat.js';

const REFRESH_INTERVAL_MS = 500;

/** The fleet as of at most a moment ago, kept off the request's path. */
export interface FleetView {
  /** Workers in time with their heartbeat, and those of them that take jobs. Zero while Redis cannot say. */
  counts(): WorkerCounts;
  workers(): readonly FleetEntry[];
  close(): void;
}

/** Starts to follow the fleet on a `producer` connection. */
export async function createFleetView(redis: Redis): Promise<FleetView> {
  let fleet: readonly FleetEntry[] = [];
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  async function refresh(): Promise<void> {
    try {
      fleet = await readFleet(redis);
    } catch {
      // Redis is away: its owner logs that. Nobody is known to be live until it is back.
      fleet = [];
    }
    if (!isClosed) timer = setTimeout(() => void refresh(), REFRESH_INTERVAL_MS).unref();
  }

  await refresh();
  return {
    counts() {
      const live = fleet.filter((worker) => worker.isLive);
      return { live: live.length, consuming: live.filter((worker) => worker.state === 'consuming').length };
    },
    workers: () => fleet,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

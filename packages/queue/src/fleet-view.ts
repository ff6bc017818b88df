import type { WorkerCounts } from '@deckhand/contracts';
import type { Redis } from './connect.ts';
import { type FleetEntry, readFleet } from './read-fleet.ts';

const REFRESH_INTERVAL_MS = 500;

/** A cached view of the fleet, refreshed in the background so that requests need not wait for Redis. */
export interface FleetView {
  /** Counts live workers, and those of them that are consuming. Zero while Redis is unavailable. */
  counts(): WorkerCounts;
  /** Counts the consuming workers that take jobs now, and do not stand by. Zero while Redis is unavailable. */
  readonly takingJobs: () => number;
  workers(): readonly FleetEntry[];
  close(): void;
}

/** Creates a view of the fleet over a `producer` connection. Resolves after the first read. */
export async function createFleetView(redis: Redis): Promise<FleetView> {
  let fleet: readonly FleetEntry[] = [];
  let readAt = 0;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  async function refresh(): Promise<void> {
    try {
      const sentAt = performance.now();
      fleet = await readFleet(redis);
      readAt = sentAt;
    } catch {
      // The owner of the connection logs that. No worker is known to be live until Redis is available again.
      fleet = [];
    }
    if (!isClosed) timer = setTimeout(() => void refresh(), REFRESH_INTERVAL_MS).unref();
  }

  /** Computes liveness anew, because heartbeats age between two reads. */
  function workers(): readonly FleetEntry[] {
    const since = performance.now() - readAt;
    return fleet.map((worker) => ({ ...worker, isLive: worker.silentForMs + since <= worker.lifetimeMs }));
  }

  await refresh();
  return {
    counts() {
      const since = performance.now() - readAt;
      let live = 0;
      let consuming = 0;
      for (const { silentForMs, lifetimeMs, state } of fleet) {
        if (silentForMs + since > lifetimeMs) continue;
        live += 1;
        if (state === 'consuming') consuming += 1;
      }
      return { live, consuming };
    },
    takingJobs: () =>
      workers().filter(({ isLive, state, isStandby }) => isLive && state === 'consuming' && !isStandby).length,
    workers,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

import { createWakeUps, readRedisUrl } from '@deckhand/queue';
import { hostname } from 'node:os';
import { createStandby, type Standby, type StandbyOptions } from './consume/standby.ts';
import {
  createMaintenanceLease,
  type MaintenanceLease,
  type MaintenanceLeaseOptions,
} from './maintenance/maintenance-lease.ts';
import type { ActiveRuns } from './session/active-runs.ts';
import type { WorkerStores } from './stores.ts';
import { startWatchdog, type Watchdog } from './watchdog/watchdog.ts';
import type { WorkerOptions } from './worker-options.ts';

/** What a worker shares with the other workers. */
export interface FleetMember {
  /** Who does the maintenance. */
  readonly lease: MaintenanceLease;
  /** When to leave jobs to others. */
  readonly standby: Standby;
  /** Sends the heartbeats. */
  readonly watchdog: Watchdog;
}

/** Creates the lease and the standby of a worker: who holds the lease takes jobs first. */
export function createFleetRoles(
  leaseOptions: Omit<MaintenanceLeaseOptions, 'onTaken'>,
  standbyOptions: Omit<StandbyOptions, 'isFirst' | 'isNear'>,
): Pick<FleetMember, 'lease' | 'standby'> {
  const lease = createMaintenanceLease({ ...leaseOptions, onTaken: () => standby.becomeFirst() });
  const standby = createStandby({ ...standbyOptions, isFirst: lease.isHeld, isNear: lease.isNear });
  return { lease, standby };
}

/** Makes the worker a member of the fleet: others see its heartbeats from now on. */
export function joinFleet(options: WorkerOptions, stores: WorkerStores, active: ActiveRuns): FleetMember {
  const { id, logger, redisUrl, shardUrls, concurrency, databaseUrl, maxBlockedMs } = options;
  const { redis, shard, clock, onQueueError } = stores;
  const { lease, standby } = createFleetRoles(
    { workerId: id, redis, clockOffsetMs: clock.offsetMs },
    {
      wakeUps: createWakeUps(shard.redis, { redisUrl: shard.redisUrl, onError: onQueueError }),
      hasShards: (shardUrls?.length ?? 1) > 1,
      onEnded: () => watchdog.takesJobs(),
    },
  );
  let isDrainRequested = false;
  const watchdog = startWatchdog({
    worker: {
      ...{ id, concurrency },
      host: hostname(),
      pid: process.pid,
      version: options.version,
      startedAt: new Date(clock.now()).toISOString(),
    },
    redis: readRedisUrl(redisUrl),
    ...{ databaseUrl, maxBlockedMs, logger },
    activeRuns: () => active.size,
    isStandby: standby.isStandingBy,
    onDeputyMissing: () => lease.deputyIsMissing(),
    onDrainRequested() {
      if (isDrainRequested) return;
      isDrainRequested = true;
      logger.info({ workerId: id }, 'draining on the request of an operator');
      options.onDrainRequest?.();
    },
  });
  return { lease, standby, watchdog };
}

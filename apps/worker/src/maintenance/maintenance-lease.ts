import {
  claimDeputy,
  claimLease,
  type LeaseClaim,
  MAINTENANCE_DEPUTIES_KEY,
  MAINTENANCE_LEASE_KEY,
  type Redis,
} from '@deckhand/queue';

/**
 * The lease of the worker that does the maintenance. If two workers believe to hold it for a moment, that is harmless:
 * maintenance changes data by conditional writes only.
 */
export interface MaintenanceLease {
  /** Returns whether this worker holds the lease, by its steady clock. */
  readonly isHeld: () => boolean;
  /**
   * Returns whether this worker holds the lease or is one of its deputies, which take it next. Only these watch the
   * fleet: if all did, the work would grow with the square of their number.
   */
  readonly isNear: () => boolean;
  /**
   * Takes or renews the lease, or a place as a deputy, unless this worker declines it. Must be called twice a second.
   * @throws the error of Redis.
   */
  renew(): Promise<void>;
  /** Notes that a deputy is missing, so that the next renewal asks to become one. */
  deputyIsMissing(): void;
  /** Releases the lease and declines it for a moment: perhaps only this worker cannot reach the database. */
  letOthersTry(): Promise<void>;
  /** Releases the lease for good, so that another worker takes it at once. @throws the error of Redis. */
  giveUp(): Promise<void>;
}

/**
 * In ms: longer than a late renewal takes, and shorter than the time after which a dead holder's runs are recovered.
 */
const LEASE_DURATION_MS = 2_500;
/** How often other workers ask to become a deputy, in ms, if their heartbeats find none missing. */
const OTHERS_INTERVAL_MS = 60_000;
/** How long a worker declines the lease after its maintenance failed, in ms; its deputies claim it twice a second. */
const HOLD_OFF_MS = 1_500;
/** A worker whose clock differs from the database's by more than this, in ms, declines the lease. */
const MAX_CLOCK_OFFSET_MS = 2_000;
/** A worker whose clock is off takes the lease after all if it was free for this long, in ms. */
const UNWANTED_AFTER_MS = 5_000;

/** What the lease needs. */
export interface MaintenanceLeaseOptions {
  /** The worker's id. */
  readonly workerId: string;
  readonly redis: Redis;
  /** Returns how far this process's clock is ahead of the database's, in ms; negative if it is behind. */
  readonly clockOffsetMs: () => number;
  /** Called when this worker takes the lease. */
  readonly onTaken?: () => void;
  /** A steady clock, in ms. */
  readonly now?: () => number;
}

/**
 * Creates the lease. A worker whose clock is more than 2 s off the database's declines the lease, unless nobody else
 * takes it for 5 s. Then it holds the lease until a worker whose clock is right claims it.
 */
export function createMaintenanceLease({
  workerId,
  redis,
  clockOffsetMs,
  onTaken,
  now = () => performance.now(),
}: MaintenanceLeaseOptions): MaintenanceLease {
  let heldUntil = -Infinity;
  let holdsOffUntil = -Infinity;
  /** When this worker first found the lease free while declining it; reset when somebody takes the lease. */
  let freeSince: number | undefined;
  let hasGivenUp = false;
  let deputyUntil = -Infinity;
  let lastAskedAt = -Infinity;
  let isDeputyMissing = false;

  async function decline(): Promise<'held' | 'taken' | 'free'> {
    heldUntil = -Infinity;
    return claimLease(redis, MAINTENANCE_LEASE_KEY, {
      owner: workerId,
      durationMs: LEASE_DURATION_MS,
      claim: 'declining',
    });
  }

  /** Returns whether a claim made at this time still counts. */
  function mayHold(askedAt: number): boolean {
    return !hasGivenUp && askedAt >= holdsOffUntil;
  }

  function claimNow(askedAt: number): LeaseClaim {
    if (Math.abs(clockOffsetMs()) <= MAX_CLOCK_OFFSET_MS) return 'eager';
    return freeSince !== undefined && askedAt - freeSince >= UNWANTED_AFTER_MS ? 'reluctant' : 'declining';
  }

  const isHeld = (): boolean => !hasGivenUp && now() < heldUntil;
  const isNear = (): boolean => isHeld() || (!hasGivenUp && now() < deputyUntil);

  async function renewAsDeputy(askedAt: number): Promise<void> {
    const isDeputy = await claimDeputy(redis, MAINTENANCE_DEPUTIES_KEY, {
      owner: workerId,
      durationMs: LEASE_DURATION_MS,
    });
    deputyUntil = isDeputy ? askedAt + LEASE_DURATION_MS : -Infinity;
  }

  return {
    isHeld,
    isNear,
    async renew() {
      const askedAt = now();
      if (!mayHold(askedAt)) return;
      const claim = claimNow(askedAt);
      if (claim === 'declining') {
        if ((await decline()) === 'taken') freeSince = undefined;
        else freeSince ??= askedAt;
        return;
      }
      if (!isNear() && !isDeputyMissing && askedAt - lastAskedAt < OTHERS_INTERVAL_MS) return;
      isDeputyMissing = false;
      // A worker that starts takes a free lease at once. Later, only deputies ask for it.
      const isFirstTime = lastAskedAt === -Infinity;
      lastAskedAt = askedAt;
      if (!isFirstTime && !isHeld()) {
        await renewAsDeputy(askedAt);
        if (!isNear()) return;
      }
      const state = await claimLease(redis, MAINTENANCE_LEASE_KEY, {
        owner: workerId,
        durationMs: LEASE_DURATION_MS,
        claim,
      });
      // The lease may have been given up or declined while the response was on its way.
      const wasHeld = isHeld();
      heldUntil = state === 'held' && mayHold(askedAt) ? askedAt + LEASE_DURATION_MS : -Infinity;
      if (!wasHeld && isHeld()) onTaken?.();
      if (state !== 'held' || claim === 'eager') freeSince = undefined;
      if (isFirstTime && state === 'taken') await renewAsDeputy(askedAt);
    },
    deputyIsMissing() {
      isDeputyMissing = true;
    },
    async letOthersTry() {
      holdsOffUntil = now() + HOLD_OFF_MS;
      lastAskedAt = -Infinity;
      await decline();
    },
    async giveUp() {
      hasGivenUp = true;
      await decline();
    },
  };
}

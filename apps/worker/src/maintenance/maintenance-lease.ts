import { claimLease, type LeaseClaim, MAINTENANCE_LEASE_KEY, type Redis } from '@deckhand/queue';

/**
 * The lease that makes one worker at a time the one that does the maintenance. What it does is harmless if two hold it
 * for a moment.
 */
export interface MaintenanceLease {
  /** Whether this worker holds it, by its steady clock. */
  readonly isHeld: () => boolean;
  /** Takes or renews it, if this worker wants it; to be called at a steady pace. @throws when Redis does not let it. */
  renew(): Promise<void>;
  /** Leaves it to others for a moment: perhaps only this worker cannot reach the database. */
  letOthersTry(): Promise<void>;
  /** Gives it up for good, so that another worker takes over at once. @throws when Redis is away. */
  giveUp(): Promise<void>;
}

/** The lease outlives a late renewal, and is free again before a dead holder's runs are due, in ms. */
const LEASE_DURATION_MS = 2_500;
/** How long a worker that failed at it leaves the lease to others, in ms: each of them asks for it twice a second. */
const HOLD_OFF_MS = 1_500;
/** How far a worker's clock may be off the database's before it leaves the lease to others, in ms. */
const MAX_CLOCK_OFFSET_MS = 2_000;
/** How long nobody else may have taken the lease before a worker whose clock is off does, in ms. */
const UNWANTED_AFTER_MS = 5_000;

/** What the lease works with. */
export interface MaintenanceLeaseOptions {
  /** The worker's id. */
  readonly workerId: string;
  readonly redis: Redis;
  /** How far this process's clock is off the database's, in ms. */
  readonly clockOffsetMs: () => number;
  /** A steady clock, in ms. */
  readonly now?: () => number;
}

/**
 * Creates it. A worker whose clock is more than 2 s off the database's declines the lease, unless nobody else takes it
 * for 5 s; then it holds it until a worker whose clock is right asks for it.
 */
export function createMaintenanceLease({
  workerId,
  redis,
  clockOffsetMs,
  now = () => performance.now(),
}: MaintenanceLeaseOptions): MaintenanceLease {
  let heldUntil = -Infinity;
  let holdsOffUntil = -Infinity;
  /** Since when the lease was free whenever this worker declined it. */
  let freeSince: number | undefined;
  let hasGivenUp = false;

  async function decline(): Promise<'held' | 'taken' | 'free'> {
    heldUntil = -Infinity;
    return claimLease(redis, MAINTENANCE_LEASE_KEY, {
      owner: workerId,
      durationMs: LEASE_DURATION_MS,
      claim: 'declining',
    });
  }

  /** Whether a claim that was made at this time still counts. */
  function mayHold(askedAt: number): boolean {
    return !hasGivenUp && askedAt >= holdsOffUntil;
  }

  function claimNow(askedAt: number): LeaseClaim {
    if (Math.abs(clockOffsetMs()) <= MAX_CLOCK_OFFSET_MS) return 'eager';
    return freeSince !== undefined && askedAt - freeSince >= UNWANTED_AFTER_MS ? 'reluctant' : 'declining';
  }

  return {
    isHeld: () => !hasGivenUp && now() < heldUntil,
    async renew() {
      const askedAt = now();
      if (!mayHold(askedAt)) return;
      const claim = claimNow(askedAt);
      if (claim === 'declining') {
        if ((await decline()) === 'taken') freeSince = undefined;
        else freeSince ??= askedAt;
        return;
      }
      const state = await claimLease(redis, MAINTENANCE_LEASE_KEY, {
        owner: workerId,
        durationMs: LEASE_DURATION_MS,
        claim,
      });
      // Given up, or left to others, while the answer was on its way.
      if (state === 'held' && mayHold(askedAt)) heldUntil = askedAt + LEASE_DURATION_MS;
      else heldUntil = -Infinity;
      if (state !== 'held' || claim === 'eager') freeSince = undefined;
    },
    async letOthersTry() {
      holdsOffUntil = now() + HOLD_OFF_MS;
      await decline();
    },
    async giveUp() {
      hasGivenUp = true;
      await decline();
    },
  };
}

import {
  claimDeputy,
  claimLease,
  type LeaseClaim,
  type LeaseState,
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

/**
 * What a worker is to the lease. Times are of its steady clock, in ms.
 *
 * - `newcomer`: claims the lease with its next renewal. Responses to claims made before `since` do not count.
 * - `holder`: has the lease until `until`. `freeSince`: its clock is off, and it took a lease that nobody wanted.
 * - `deputy`: has a place among the deputies until `until`, and claims the lease as well.
 * - `other`: asked for a place at `askedAt`, and asks again after a minute or once a deputy is missing.
 * - `declining`: its clock is off. `freeSince`: when it first found the lease free; undefined while another has it.
 * - `holdingOff`: leaves the lease to others until `until`.
 * - `retired`: has given the lease up for good.
 */
export type LeaseRole =
  | { readonly kind: 'newcomer'; readonly since: number }
  | { readonly kind: 'holder'; readonly until: number; readonly freeSince?: number | undefined }
  | { readonly kind: 'deputy'; readonly until: number }
  | { readonly kind: 'other'; readonly askedAt: number }
  | { readonly kind: 'declining'; readonly freeSince: number | undefined }
  | { readonly kind: 'holdingOff'; readonly until: number }
  | { readonly kind: 'retired' };

/** What happens to a worker's role. `askedAt`: when the request was sent to which this is the response. */
export type LeaseEvent =
  | { readonly kind: 'renewalDue'; readonly clockOffsetMs: number }
  | {
      readonly kind: 'leaseClaimed';
      readonly claim: LeaseClaim;
      readonly owner: LeaseState;
      readonly askedAt: number;
    }
  | { readonly kind: 'placeClaimed'; readonly isDeputy: boolean; readonly askedAt: number }
  | { readonly kind: 'deputyMissing' }
  | { readonly kind: 'maintenanceFailed' }
  | { readonly kind: 'leaving' };

/** The next request: a claim of the lease, or of a place as a deputy. */
export type LeaseCommand = LeaseClaim | 'claimPlace';

/** The next role, and the request that follows. */
export interface LeaseStep {
  readonly role: LeaseRole;
  readonly command?: LeaseCommand;
}

/** Returns the role at a time: the lease, a place, and holding off end by themselves. */
function roleAt(role: LeaseRole, now: number): LeaseRole {
  if (!('until' in role) || now < role.until) return role;
  if (role.kind === 'holdingOff') return { kind: 'newcomer', since: role.until };
  // One whose clock is off keeps counting since when nobody wants the lease.
  if (role.kind === 'holder' && role.freeSince !== undefined) return { kind: 'declining', freeSince: role.freeSince };
  return { kind: 'other', askedAt: role.until - LEASE_DURATION_MS };
}

/** Returns the role after an event, and the request that follows it. */
export function nextLeaseRole(before: LeaseRole, event: LeaseEvent, now: number): LeaseStep {
  const role = roleAt(before, now);
  if (role.kind === 'retired') return { role };
  switch (event.kind) {
    case 'renewalDue':
      return role.kind === 'holdingOff' ? { role } : renew(role, event.clockOffsetMs, now);
    case 'leaseClaimed':
      return role.kind === 'holdingOff' ? { role } : afterClaim(role, event);
    case 'placeClaimed':
      return afterPlaceClaim(role, event);
    case 'deputyMissing':
      return { role: role.kind === 'other' ? { kind: 'other', askedAt: -Infinity } : role };
    case 'maintenanceFailed':
      return { role: { kind: 'holdingOff', until: now + HOLD_OFF_MS }, command: 'declining' };
    case 'leaving':
      return { role: { kind: 'retired' }, command: 'declining' };
  }
}

type ClaimingRole = Exclude<LeaseRole, { readonly kind: 'holdingOff' | 'retired' }>;

function renew(role: ClaimingRole, clockOffsetMs: number, now: number): LeaseStep {
  const freeSince = 'freeSince' in role ? role.freeSince : undefined;
  const claim = claimOf(clockOffsetMs, freeSince, now);
  if (claim === 'declining') return { role: { kind: 'declining', freeSince }, command: claim };
  switch (role.kind) {
    case 'newcomer':
    case 'holder':
    case 'declining':
      return { role, command: claim };
    case 'deputy':
      return { role, command: 'claimPlace' };
    case 'other':
      if (now - role.askedAt < OTHERS_INTERVAL_MS) return { role };
      return { role: { kind: 'other', askedAt: now }, command: 'claimPlace' };
  }
}

function claimOf(clockOffsetMs: number, freeSince: number | undefined, now: number): LeaseClaim {
  if (Math.abs(clockOffsetMs) <= MAX_CLOCK_OFFSET_MS) return 'eager';
  return freeSince !== undefined && now - freeSince >= UNWANTED_AFTER_MS ? 'reluctant' : 'declining';
}

function afterClaim(
  role: ClaimingRole,
  { claim, owner, askedAt }: Extract<LeaseEvent, { readonly kind: 'leaseClaimed' }>,
): LeaseStep {
  if (role.kind === 'newcomer' && askedAt < role.since) return { role };
  if (claim === 'declining') {
    if (role.kind !== 'declining') return { role };
    return { role: { kind: 'declining', freeSince: owner === 'taken' ? undefined : (role.freeSince ?? askedAt) } };
  }
  if (owner === 'held') {
    const freeSince = claim === 'reluctant' && 'freeSince' in role ? role.freeSince : undefined;
    return { role: { kind: 'holder', until: askedAt + LEASE_DURATION_MS, freeSince } };
  }
  if (claim === 'reluctant') return { role: { kind: 'declining', freeSince: undefined } };
  switch (role.kind) {
    case 'newcomer':
    case 'declining':
      return { role: { kind: 'other', askedAt }, command: 'claimPlace' };
    case 'holder':
      return { role: { kind: 'other', askedAt } };
    case 'deputy':
    case 'other':
      return { role };
  }
}

function afterPlaceClaim(
  role: LeaseRole,
  { isDeputy, askedAt }: Extract<LeaseEvent, { readonly kind: 'placeClaimed' }>,
): LeaseStep {
  if (role.kind !== 'deputy' && role.kind !== 'other') return { role };
  if (!isDeputy) return { role: { kind: 'other', askedAt } };
  return { role: { kind: 'deputy', until: askedAt + LEASE_DURATION_MS }, command: 'eager' };
}

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
  const claimant = { owner: workerId, durationMs: LEASE_DURATION_MS };
  let role: LeaseRole = { kind: 'newcomer', since: -Infinity };
  const isHeld = (): boolean => roleAt(role, now()).kind === 'holder';

  async function handle(event: LeaseEvent): Promise<void> {
    const wasHeld = isHeld();
    const step = nextLeaseRole(role, event, now());
    ({ role } = step);
    if (!wasHeld && isHeld()) onTaken?.();
    if (step.command) await handle(await send(step.command));
  }

  async function send(command: LeaseCommand): Promise<LeaseEvent> {
    const askedAt = now();
    if (command === 'claimPlace') {
      const isDeputy = await claimDeputy(redis, MAINTENANCE_DEPUTIES_KEY, claimant);
      return { kind: 'placeClaimed', isDeputy, askedAt };
    }
    const owner = await claimLease(redis, MAINTENANCE_LEASE_KEY, { ...claimant, claim: command });
    return { kind: 'leaseClaimed', claim: command, owner, askedAt };
  }

  return {
    isHeld,
    isNear: () => ['holder', 'deputy'].includes(roleAt(role, now()).kind),
    renew: () => handle({ kind: 'renewalDue', clockOffsetMs: clockOffsetMs() }),
    deputyIsMissing() {
      role = nextLeaseRole(role, { kind: 'deputyMissing' }, now()).role;
    },
    letOthersTry: () => handle({ kind: 'maintenanceFailed' }),
    giveUp: () => handle({ kind: 'leaving' }),
  };
}

import type { AttemptResult, TakenDelivery, TakenLane } from '@deckhand/db';

/** An attempt begins only if more than this is left of the lease, in ms, so that two processes never make one. */
export const ATTEMPT_MS = 16_000;
/** Maximum number of deliveries of a lane, and of all lanes, in memory. */
const MAX_PER_LANE = 256;
const MAX_TAKEN = 4_096;
/** A lane with so few deliveries left takes more. */
const REFILLED_BELOW = 64;
/** After so many failures in a row, the rest of a lane is taken again later, when the failures are recorded. */
const DROPPED_AFTER = 5;

/**
 * Whether more deliveries of a lane can be taken from the database.
 *
 * - `exhausted`: the last take left none that was due. The next poll takes again.
 * - `blocked`: it left some behind earlier events of their runs, or it failed. The next take follows the next record.
 * - `likely`: more may be due.
 * - `certain`: more are due than the last take had room for.
 * - `taking`: a take is in progress; `takingAfterRecord`: and an attempt was recorded since it began, which the take
 *   may not have seen.
 */
type Supply = 'exhausted' | 'blocked' | 'likely' | 'certain' | 'taking' | 'takingAfterRecord';

/** An endpoint whose deliveries this process leases. Times are of the steady clock, in ms. */
export interface Lane {
  readonly endpointId: string;
  /** Until then nobody else delivers its events. */
  readonly leasedUntil: number;
  /** Whether the endpoint fails: it then gets one attempt per poll. */
  readonly isFailing: boolean;
  readonly maxInProgress: number;
  /** Deliveries to be attempted. They are due until an attempt is recorded, so dropping them loses nothing. */
  readonly queue: readonly TakenDelivery[];
  /** Ids of the deliveries whose attempts are in progress. */
  readonly inProgress: ReadonlySet<string>;
  /** Number of deliveries whose results are being recorded: there may be thousands. */
  readonly recording: number;
  /** Failures since the last success. */
  readonly failures: number;
  readonly supply: Supply;
  readonly lastAttemptAt: number;
}

/**
 * What happens to a lane. `taken`: a take found these deliveries; undefined if none. `isRecorded`: false after an
 * error.
 */
export type LaneEvent =
  | { readonly kind: 'leased'; readonly until: number; readonly isFailing: boolean }
  | { readonly kind: 'takeBegan' | 'takeFailed' | 'placeFreed' | 'released' }
  | { readonly kind: 'taken'; readonly room: number; readonly taken: TakenLane | undefined }
  | { readonly kind: 'attempted'; readonly result: AttemptResult }
  | { readonly kind: 'recorded'; readonly isRecorded: boolean };

/** The circumstances of an event: the time, and how many more attempts may begin, by whether their lane fails. */
export interface LaneContext {
  readonly now: number;
  readonly places: { readonly working: number; readonly failing: number };
}

/** The next state of a lane, and the deliveries whose attempts begin. */
export interface LaneStep {
  readonly lane: Lane;
  readonly begun: readonly TakenDelivery[];
}

/** Returns a lane that is not leased yet. */
export function newLane(endpointId: string): Lane {
  return {
    endpointId,
    leasedUntil: -Infinity,
    isFailing: false,
    maxInProgress: 1,
    queue: [],
    inProgress: new Set(),
    recording: 0,
    failures: 0,
    supply: 'exhausted',
    lastAttemptAt: -Infinity,
  };
}

/** Returns the lane after an event, and the deliveries whose attempts begin. */
export function nextLane(lane: Lane, event: LaneEvent, context: LaneContext): LaneStep {
  switch (event.kind) {
    case 'leased':
      return stay({ ...lane, leasedUntil: event.until, isFailing: event.isFailing });
    case 'released':
      return stay({ ...lane, leasedUntil: -Infinity, queue: [] });
    case 'takeBegan':
      return stay({ ...lane, supply: 'taking' });
    case 'takeFailed':
      // A record shows that the database is available again. Without one, the next poll takes.
      return stay({ ...lane, supply: 'blocked' });
    case 'taken':
      return begin(afterTake(lane, event), context);
    case 'placeFreed':
      return begin(lane, context);
    case 'attempted':
      return stay(afterAttempt(lane, event.result));
    case 'recorded':
      return stay(afterRecord(lane, event.isRecorded));
  }
}

/** Returns whether nobody else attempts the lane's deliveries for as long as an attempt may take. */
export function isLeased({ leasedUntil }: Lane, now: number): boolean {
  return leasedUntil - now > ATTEMPT_MS;
}

/** Returns whether the lane has deliveries that only wait until fewer attempts of other lanes are in progress. */
export function waitsForPlace({ queue, inProgress, maxInProgress }: Lane): boolean {
  return queue.length > 0 && inProgress.size < maxInProgress;
}

/** Returns the ids of the lane's deliveries that are taken and not attempted. */
export function unattemptedIds({ queue, inProgress }: Lane): string[] {
  return [...queue.map(({ id }) => id), ...inProgress];
}

/** Returns whether all deliveries that were taken of the lane are attempted and recorded. */
export function isEmpty({ queue, inProgress, recording }: Lane): boolean {
  return queue.length + inProgress.size + recording === 0;
}

/** Returns how many deliveries to take of a lane before the next poll; 0 for none. @param laneCount of all lanes. */
export function refillRoom(lane: Lane, laneCount: number, now: number): number {
  return lane.supply === 'likely' || lane.supply === 'certain' ? roomOf(lane, laneCount, now) : 0;
}

/**
 * Returns how many deliveries to take of each lane with a poll. Of the failing lanes without deliveries, it takes those
 * that have waited longest.
 */
export function pollRooms(lanes: readonly Lane[], { now, places }: LaneContext): ReadonlyMap<string, number> {
  const failing = lanes
    .filter((lane) => lane.isFailing && isLeased(lane, now) && isEmpty(lane))
    .toSorted((a, b) => a.lastAttemptAt - b.lastAttemptAt)
    .slice(0, places.failing)
    .map(({ endpointId }) => [endpointId, shareOf(lanes.length)] as const);
  const working = lanes.map((lane) => [lane.endpointId, roomOf(lane, lanes.length, now)] as const);
  return new Map([...working.filter(([, room]) => room > 0), ...failing]);
}

function shareOf(laneCount: number): number {
  return Math.max(1, Math.min(MAX_PER_LANE, Math.floor(MAX_TAKEN / Math.max(1, laneCount))));
}

function roomOf(lane: Lane, laneCount: number, now: number): number {
  const count = lane.queue.length + lane.inProgress.size;
  if (lane.isFailing || !isLeased(lane, now) || count > REFILLED_BELOW) return 0;
  return Math.max(0, shareOf(laneCount) - count);
}

function stay(lane: Lane): LaneStep {
  return { lane, begun: [] };
}

function begin(lane: Lane, { now, places }: LaneContext): LaneStep {
  if (!isLeased(lane, now)) return stay({ ...lane, queue: [] });
  const free = Math.min(lane.maxInProgress - lane.inProgress.size, lane.isFailing ? places.failing : places.working);
  const begun = lane.queue.slice(0, Math.max(0, free));
  if (begun.length === 0) return stay(lane);
  const inProgress = new Set([...lane.inProgress, ...begun.map(({ id }) => id)]);
  return { lane: { ...lane, queue: lane.queue.slice(begun.length), inProgress, lastAttemptAt: now }, begun };
}

function afterTake(lane: Lane, { room, taken }: Extract<LaneEvent, { readonly kind: 'taken' }>): Lane {
  if (!taken) return { ...lane, supply: 'exhausted' };
  const { isFailing, maxInProgress, deliveries } = taken;
  return {
    ...lane,
    isFailing,
    maxInProgress,
    queue: [...lane.queue, ...deliveries],
    supply: supplyAfter(lane.supply, room, taken),
  };
}

function supplyAfter(before: Supply, room: number, { isFailing, deliveries, hasBlocked }: TakenLane): Supply {
  if (isFailing) return 'exhausted';
  if (deliveries.length > 0) return deliveries.length === room ? 'certain' : 'likely';
  if (!hasBlocked) return 'exhausted';
  return before === 'takingAfterRecord' ? 'likely' : 'blocked';
}

/** Stops at an endpoint that is down or wants no events now. Its next take follows what is recorded until then. */
function afterAttempt(lane: Lane, { delivery, outcome, throttleMs }: AttemptResult): Lane {
  const failures = outcome === 'delivered' ? 0 : lane.failures + 1;
  const inProgress = without(lane.inProgress, delivery.id);
  const attempted = { ...lane, failures, inProgress, recording: lane.recording + 1 };
  if (failures < DROPPED_AFTER && outcome !== 'gone' && throttleMs === 0) return attempted;
  return { ...attempted, queue: [], supply: isTaking(lane) ? lane.supply : 'exhausted' };
}

function afterRecord(lane: Lane, isRecorded: boolean): Lane {
  const recorded = { ...lane, recording: lane.recording - 1 };
  if (!isRecorded) return recorded;
  if (lane.supply === 'blocked') return { ...recorded, supply: 'likely' };
  return isTaking(lane) ? { ...recorded, supply: 'takingAfterRecord' } : recorded;
}

function isTaking({ supply }: Lane): boolean {
  return supply === 'taking' || supply === 'takingAfterRecord';
}

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...ids].filter((each) => each !== id));
}

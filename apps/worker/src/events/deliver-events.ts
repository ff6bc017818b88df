import type { AttemptResult, DisabledEndpoint, LaneRequest, LeasedLane, TakenDelivery, TakenLane } from '@deckhand/db';
import type { Logger } from '@deckhand/runtime';
import { createBatcher } from '@deckhand/runtime';
import type { EventMetrics } from './event-metrics.ts';
import type { SendEvent } from './send-event.ts';

/** Maximum number of attempts in progress for all endpoints that work. An endpoint has fewer, by its lane. */
const MAX_IN_PROGRESS = 256;
/** The same for endpoints that fail: however many there are, they take nothing from the others. */
const MAX_FAILING_IN_PROGRESS = 32;
/**
 * How long nobody else delivers the events of an endpoint, and how much of that is left when it is renewed, in ms. An
 * attempt begins only if more is left than it may take, so that two processes never attempt one event at once.
 */
const LEASE_MS = 30_000;
const RENEWED_BELOW_MS = 20_000;
const ATTEMPT_MS = 16_000;
/** Maximum number of deliveries of a lane, and of all lanes, in memory. */
const MAX_PER_LANE = 256;
const MAX_TAKEN = 4_096;
/** A lane with so few deliveries left takes more. */
const REFILLED_BELOW = 64;
/** Shortest time between two takes, in ms, unless a lane has more deliveries than were taken: fewer, larger batches. */
const TAKE_INTERVAL_MS = 100;
/** How many results are recorded at once, and for how long they are gathered, in ms. */
const MAX_RECORDED = 500;
const GATHER_MS = 100;
/** So many failures in a row leave the rest of a lane to a later take, which knows of them. */
const DROPPED_AFTER = 5;
/** A process that does not poll for this long, in ms, leaves the lanes to others. It polls once a second. */
const RELEASED_AFTER_MS = 3_000;

/** Statements on deliveries. */
export interface DeliveryStore {
  readonly lease: (times: {
    readonly leaseMs: number;
    readonly renewBelowMs: number;
  }) => Promise<readonly LeasedLane[]>;
  readonly take: (lanes: readonly LaneRequest[], minLeftMs: number) => Promise<readonly TakenLane[]>;
  readonly record: (results: readonly AttemptResult[]) => Promise<readonly DisabledEndpoint[]>;
  readonly release: () => Promise<void>;
}

/** Delivers events. */
export interface EventDeliverer {
  /** Begins attempts for due deliveries, as many as there is room for. It does not wait for the attempts. */
  poll(): Promise<void>;
  /** Begins no more attempts, and resolves once those in progress are recorded, or aborted after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** An endpoint whose deliveries this process leases. */
interface Lane {
  readonly endpointId: string;
  /** By the steady clock, in ms. */
  leasedUntil: number;
  isFailing: boolean;
  maxInProgress: number;
  /** Deliveries to be attempted. They are due until an attempt is recorded, so dropping them loses nothing. */
  queue: TakenDelivery[];
  inProgress: number;
  /** Failures since the last success. */
  failures: number;
  /** Ids of those in the queue, in progress, and to be recorded. */
  readonly held: Set<string>;
  /** Whether the last take may have left due deliveries, and whether it certainly has. */
  mayHaveMore: boolean;
  hasMore: boolean;
  /** Whether it has left some behind earlier events of their runs, and whether an attempt was recorded since. */
  hasBlocked: boolean;
  hasRecorded: boolean;
  lastAttemptAt: number;
}

/**
 * Creates the loop that delivers events. Each endpoint is a lane: its attempts never wait for those of another. An
 * endpoint that fails gets one attempt per poll. While an endpoint has more, its next deliveries are taken before all
 * are attempted, without waiting for a poll.
 */
export function createEventDeliverer(parts: {
  store: DeliveryStore;
  send: SendEvent;
  metrics: EventMetrics;
  logger: Logger;
}): EventDeliverer {
  const { store, send, metrics, logger } = parts;
  const aborted = new AbortController();
  const lanes = new Map<string, Lane>();
  /** Lanes that have deliveries and wait until fewer attempts of others are in progress. */
  const waiting = new Set<Lane>();
  const attempts = new Set<Promise<void>>();
  const counts = { healthy: 0, failing: 0 };
  let statement = Promise.resolve();
  let takenAt = -Infinity;
  let isRefilling = false;
  let refillTimer: NodeJS.Timeout | undefined;
  let releaseTimer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const record = createBatcher<AttemptResult, undefined>({
    async flush(results) {
      for (const { id, reason } of await store.record(results)) {
        metrics.disabled(reason);
        logger.warn({ endpointId: id, reason }, 'event endpoint disabled');
      }
      return results.map(() => undefined);
    },
    maxSize: MAX_RECORDED,
    concurrency: 1,
    gatherMs: GATHER_MS,
  });

  function addLane(endpointId: string): Lane {
    const lane: Lane = {
      endpointId,
      leasedUntil: -Infinity,
      isFailing: false,
      maxInProgress: 1,
      queue: [],
      inProgress: 0,
      failures: 0,
      held: new Set(),
      mayHaveMore: false,
      hasMore: false,
      hasBlocked: false,
      hasRecorded: false,
      lastAttemptAt: -Infinity,
    };
    lanes.set(endpointId, lane);
    return lane;
  }

  const isLeased = (lane: Lane): boolean => lane.leasedUntil - performance.now() > ATTEMPT_MS;

  function drop(lane: Lane): void {
    for (const { id } of lane.queue) lane.held.delete(id);
    lane.queue = [];
    waiting.delete(lane);
  }

  function hasPlace({ isFailing }: Lane): boolean {
    return isFailing ? counts.failing < MAX_FAILING_IN_PROGRESS : counts.healthy < MAX_IN_PROGRESS;
  }

  function begin(lane: Lane): void {
    waiting.delete(lane);
    if (isStopped || !isLeased(lane)) drop(lane);
    while (lane.inProgress < lane.maxInProgress && lane.queue.length > 0) {
      if (!hasPlace(lane)) {
        waiting.add(lane);
        return;
      }
      const delivery = lane.queue.shift();
      if (!delivery) return;
      const done = attempt(lane, delivery).finally(() => attempts.delete(done));
      attempts.add(done);
    }
  }

  /** Stops at an endpoint that is down or wants no events now. Its next take follows what is recorded until then. */
  function observe(lane: Lane, { outcome, throttleMs }: AttemptResult): void {
    lane.failures = outcome === 'delivered' ? 0 : lane.failures + 1;
    if (lane.failures < DROPPED_AFTER && outcome !== 'gone' && throttleMs === 0) return;
    drop(lane);
    lane.mayHaveMore = false;
    lane.hasBlocked = false;
  }

  async function attempt(lane: Lane, delivery: TakenDelivery): Promise<void> {
    const count = lane.isFailing ? 'failing' : 'healthy';
    counts[count] += 1;
    lane.inProgress += 1;
    lane.lastAttemptAt = performance.now();
    const result = await send(delivery, aborted.signal);
    counts[count] -= 1;
    lane.inProgress -= 1;
    observe(lane, result);
    const [next] = waiting;
    if (next) begin(next);
    begin(lane);
    refillSoon(lane);
    // An attempt that this process broke off says nothing about the receiver: it is repeated.
    if (!aborted.signal.aborted || result.outcome !== 'retry') {
      metrics.attempted(result, delivery);
      await record(result).catch((err: unknown) => {
        logger.warn({ err, deliveryId: delivery.id }, 'an attempt could not be recorded, the event is sent again');
      });
    }
    lane.held.delete(delivery.id);
    lane.hasRecorded = true;
    refillFreed();
  }

  /** Takes what is due. @param withFailing whether endpoints that fail are due, too. */
  async function take(isWanted: (lane: Lane) => boolean, withFailing: boolean): Promise<void> {
    for (const lane of lanes.values()) lane.hasRecorded = false;
    const share = Math.max(1, Math.min(MAX_PER_LANE, Math.floor(MAX_TAKEN / Math.max(1, lanes.size))));
    const roomOf = ({ queue, inProgress }: Lane): number => share - queue.length - inProgress;
    const wanted = [...lanes.values()].filter((lane) => isLeased(lane) && isWanted(lane));
    const healthy = wanted.filter((lane) => !lane.isFailing && isLow(lane) && roomOf(lane) > 0);
    const failing = wanted
      .filter((lane) => lane.isFailing && lane.held.size === 0)
      .toSorted((a, b) => a.lastAttemptAt - b.lastAttemptAt)
      .slice(0, MAX_FAILING_IN_PROGRESS - counts.failing);
    const rooms = new Map([...healthy, ...(withFailing ? failing : [])].map((lane) => [lane, roomOf(lane)]));
    if (rooms.size === 0) return;
    takenAt = performance.now();
    const requests = [...rooms].map(([{ endpointId, held }, room]) => ({ endpointId, room, held: [...held] }));
    const taken = await store.take(requests, ATTEMPT_MS);
    for (const lane of rooms.keys()) {
      lane.mayHaveMore = false;
      lane.hasBlocked = false;
    }
    for (const { endpointId, deliveries, isFailing, maxInProgress, hasBlocked } of taken) {
      const lane = lanes.get(endpointId);
      if (!lane) continue;
      lane.isFailing = isFailing;
      lane.maxInProgress = maxInProgress;
      lane.mayHaveMore = deliveries.length > 0 && !isFailing;
      lane.hasMore = deliveries.length === rooms.get(lane);
      lane.hasBlocked = hasBlocked && !isFailing;
      for (const delivery of deliveries) {
        lane.queue.push(delivery);
        lane.held.add(delivery.id);
      }
      begin(lane);
    }
  }

  const isLow = ({ queue, inProgress }: Lane): boolean => queue.length + inProgress <= REFILLED_BELOW;

  /** Acts once the statement before has ended, so that none sees what another is changing here. */
  function exclusively(act: () => Promise<void>): Promise<void> {
    const done = statement.then(act);
    statement = done.catch(() => undefined);
    return done;
  }

  function refillSoon(lane: Lane): void {
    if (isStopped || isRefilling || !lane.mayHaveMore || !isLow(lane)) return;
    isRefilling = true;
    const afterMs = lane.hasMore ? 0 : Math.max(0, takenAt + TAKE_INTERVAL_MS - performance.now());
    refillTimer = setTimeout(() => {
      exclusively(() => take(({ mayHaveMore }) => mayHaveMore, false))
        .catch((err: unknown) => {
          for (const each of lanes.values()) each.mayHaveMore = false;
          logger.warn({ err }, 'due events could not be taken yet');
        })
        .finally(() => {
          isRefilling = false;
          refillFreed();
        });
    }, afterMs);
  }

  /** Takes the next events of runs: those that the last take has left behind attempts that are recorded by now. */
  function refillFreed(): void {
    for (const lane of lanes.values()) {
      if (!lane.hasBlocked || !lane.hasRecorded) continue;
      lane.mayHaveMore = true;
      refillSoon(lane);
    }
  }

  async function lease(): Promise<void> {
    const askedAt = performance.now();
    const leased = await store.lease({ leaseMs: LEASE_MS, renewBelowMs: RENEWED_BELOW_MS });
    for (const { endpointId, leftMs, isFailing } of leased) {
      const lane = lanes.get(endpointId) ?? addLane(endpointId);
      lane.leasedUntil = askedAt + leftMs;
      lane.isFailing = isFailing;
    }
    for (const [id, lane] of lanes) if (lane.held.size === 0 && !isLeased(lane)) lanes.delete(id);
  }

  /** Releases the lanes once their attempts are over. Until then no other process makes any. */
  async function release(): Promise<void> {
    for (const lane of lanes.values()) {
      lane.leasedUntil = -Infinity;
      drop(lane);
    }
    await Promise.all(attempts);
    lanes.clear();
    await store.release();
  }

  function releaseUnlessPolled(): void {
    clearTimeout(releaseTimer);
    releaseTimer = setTimeout(() => {
      exclusively(release).catch((err: unknown) => logger.warn({ err }, 'events could not be left to others yet'));
    }, RELEASED_AFTER_MS).unref();
  }

  return {
    async poll() {
      if (isStopped) return;
      releaseUnlessPolled();
      await exclusively(async () => {
        await lease();
        await take(() => true, true);
        refillFreed();
      });
    },
    async stop(graceMs) {
      isStopped = true;
      clearTimeout(refillTimer);
      clearTimeout(releaseTimer);
      // Set first: a statement in progress may take as long as a statement may.
      const limit = setTimeout(() => aborted.abort(), graceMs);
      await statement;
      // Others release what this process could not: its leases end.
      await release().catch((err: unknown) => logger.warn({ err }, 'events are left to others after their lease'));
      clearTimeout(limit);
    },
  };
}

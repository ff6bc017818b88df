import type { AttemptResult, DisabledEndpoint, LaneRequest, LeasedLane, TakenLane } from '@deckhand/db';
import type { Logger } from '@deckhand/runtime';
import { createAttempts } from './attempts.ts';
import {
  ATTEMPT_MS,
  isEmpty,
  isLeased,
  type Lane,
  type LaneContext,
  type LaneEvent,
  newLane,
  nextLane,
  pollRooms,
  refillRoom,
  unattemptedIds,
  waitsForPlace,
} from './delivery-lane.ts';
import type { EventMetrics } from './event-metrics.ts';
import type { SendEvent } from './send-event.ts';

/** How long nobody else delivers the events of an endpoint, and how much of that is left when it is renewed, in ms. */
const LEASE_MS = 30_000;
const RENEWED_BELOW_MS = 20_000;
/** Shortest time between two takes, in ms, unless a lane certainly has more: fewer, larger batches. */
const TAKE_INTERVAL_MS = 100;
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
  const { store, logger } = parts;
  const lanes = new Map<string, Lane>();
  /** Ids of lanes that have deliveries and wait until fewer attempts of others are in progress. */
  const waiting = new Set<string>();
  const attempts = createAttempts({
    ...parts,
    record: store.record,
    onAttempted(endpointId, result) {
      handle(endpointId, { kind: 'attempted', result });
      // The lane that has waited longest comes first, and then has to wait for the others again.
      const [next = endpointId] = waiting;
      waiting.delete(next);
      handle(next, { kind: 'placeFreed' });
      handle(endpointId, { kind: 'placeFreed' });
    },
    onRecorded: (endpointId, isRecorded) => handle(endpointId, { kind: 'recorded', isRecorded }),
  });
  let statement = Promise.resolve();
  let takenAt = -Infinity;
  /** `refilling`: a take between two polls is planned or in progress; `stopped`: no attempt begins any more. */
  let phase: 'idle' | 'refilling' | 'stopped' = 'idle';
  let refillTimer: NodeJS.Timeout | undefined;
  let releaseTimer: NodeJS.Timeout | undefined;

  function context(): LaneContext {
    const places = phase === 'stopped' ? { working: 0, failing: 0 } : attempts.places();
    return { now: performance.now(), places };
  }

  function handle(endpointId: string, event: LaneEvent): void {
    const before = lanes.get(endpointId);
    if (!before) return;
    const { lane, begun } = nextLane(before, event, context());
    lanes.set(endpointId, lane);
    if (waitsForPlace(lane)) waiting.add(endpointId);
    else waiting.delete(endpointId);
    for (const delivery of begun) attempts.begin(delivery, lane.isFailing);
    refillSoon(lane);
  }

  /** Takes so many due deliveries of each lane. */
  async function take(rooms: ReadonlyMap<string, number>): Promise<void> {
    if (rooms.size === 0) return;
    takenAt = performance.now();
    const requests = [...rooms].map(([endpointId, room]) => {
      const lane = lanes.get(endpointId);
      const held = [...(lane ? unattemptedIds(lane) : []), ...attempts.recordingOf(endpointId)];
      return { endpointId, room, held };
    });
    for (const { endpointId } of requests) handle(endpointId, { kind: 'takeBegan' });
    try {
      const taken = new Map((await store.take(requests, ATTEMPT_MS)).map((lane) => [lane.endpointId, lane]));
      for (const [endpointId, room] of rooms) handle(endpointId, { kind: 'taken', room, taken: taken.get(endpointId) });
    } catch (error) {
      for (const endpointId of rooms.keys()) handle(endpointId, { kind: 'takeFailed' });
      throw error;
    }
  }

  /** Acts once the statement before has ended, so that none sees what another is changing here. */
  function exclusively(act: () => Promise<void>): Promise<void> {
    const done = statement.then(act);
    statement = done.catch(() => undefined);
    return done;
  }

  /** Plans a take if the lane has room for more. One at a time: it is for all lanes that have by then. */
  function refillSoon(lane: Lane): void {
    if (phase !== 'idle' || refillRoom(lane, lanes.size, performance.now()) === 0) return;
    phase = 'refilling';
    const afterMs = lane.supply === 'certain' ? 0 : Math.max(0, takenAt + TAKE_INTERVAL_MS - performance.now());
    refillTimer = setTimeout(() => {
      exclusively(() => take(refillRooms()))
        .catch((err: unknown) => logger.warn({ err }, 'failed to take due events, retrying'))
        .finally(() => {
          if (phase === 'refilling') phase = 'idle';
          lanes.forEach(refillSoon);
        });
    }, afterMs);
  }

  function refillRooms(): ReadonlyMap<string, number> {
    const now = performance.now();
    const rooms = [...lanes].map(([id, lane]) => [id, refillRoom(lane, lanes.size, now)] as const);
    return new Map(rooms.filter(([, room]) => room > 0));
  }

  async function lease(): Promise<void> {
    const askedAt = performance.now();
    const leased = await store.lease({ leaseMs: LEASE_MS, renewBelowMs: RENEWED_BELOW_MS });
    for (const { endpointId, leftMs, isFailing } of leased) {
      if (!lanes.has(endpointId)) lanes.set(endpointId, newLane(endpointId));
      handle(endpointId, { kind: 'leased', until: askedAt + leftMs, isFailing });
    }
    for (const [id, lane] of lanes) if (isEmpty(lane) && !isLeased(lane, performance.now())) lanes.delete(id);
  }

  /** Releases the lanes once their attempts are over. Until then no other process makes any. */
  async function release(): Promise<void> {
    for (const endpointId of lanes.keys()) handle(endpointId, { kind: 'released' });
    await attempts.settled();
    lanes.clear();
    await store.release();
  }

  function releaseUnlessPolled(): void {
    clearTimeout(releaseTimer);
    releaseTimer = setTimeout(() => {
      exclusively(release).catch((err: unknown) => logger.warn({ err }, 'failed to leave events to others, retrying'));
    }, RELEASED_AFTER_MS).unref();
  }

  return {
    async poll() {
      if (phase === 'stopped') return;
      releaseUnlessPolled();
      await exclusively(async () => {
        await lease();
        await take(pollRooms([...lanes.values()], context()));
      });
    },
    async stop(graceMs) {
      phase = 'stopped';
      clearTimeout(refillTimer);
      clearTimeout(releaseTimer);
      // Set first: a statement in progress may take as long as a statement may.
      const limit = setTimeout(attempts.abort, graceMs);
      await statement;
      // Others release what this process could not: its leases end.
      await release().catch((err: unknown) => logger.warn({ err }, 'left events to others after their lease'));
      clearTimeout(limit);
    },
  };
}

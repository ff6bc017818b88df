import { type AttemptResult, type DisabledEndpoint, type TakenDelivery, type TakeRequest } from '@deckhand/db';
import type { Logger } from '@deckhand/runtime';
import { createBatcher } from '@deckhand/runtime';
import type { EventMetrics } from './event-metrics.js';
import type { SendEvent } from './send-event.js';

/** Maximum number of attempts in progress for one endpoint, and for all that work. */
const MAX_PER_ENDPOINT = 32;
const MAX_IN_PROGRESS = 256;
/** The same for endpoints that fail: however many there are, they take nothing from the others. */
const MAX_FAILING_IN_PROGRESS = 32;
/** How long nobody else attempts a delivery, in ms: longer than an attempt and the recording of its result take. */
const LEASE_MS = 60_000;
const MAX_RECORDED = 100;

/** Statements on deliveries. */
export interface DeliveryStore {
  readonly take: (request: TakeRequest) => Promise<readonly TakenDelivery[]>;
  readonly record: (results: readonly AttemptResult[]) => Promise<readonly DisabledEndpoint[]>;
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
 * endpoint that fails gets one attempt per poll. While an endpoint has more, its next deliveries are taken as soon as
 * half of its attempts in progress are over, without waiting for a poll.
 */
export function createEventDeliverer(parts: {
  store: DeliveryStore;
  send: SendEvent;
  metrics: EventMetrics;
  logger: Logger;
}): EventDeliverer {
  const { store, send, metrics, logger } = parts;
  const aborted = new AbortController();
  /** Attempts in progress by endpoint, and those of failing endpoints. */
  const inProgress = new Map<string, number>();
  const attempts = new Set<Promise<void>>();
  let failingCount = 0;
  let taking: Promise<void> | undefined;
  let isStopped = false;
  /** Whether the last take may have left due deliveries. */
  let mayHaveMore = false;

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
  });

  async function attempt(delivery: TakenDelivery): Promise<void> {
    const { endpointId, isFailing } = delivery;
    inProgress.set(endpointId, (inProgress.get(endpointId) ?? 0) + 1);
    if (isFailing) failingCount += 1;
    try {
      const result = await send(delivery, aborted.signal);
      // An attempt that this process broke off says nothing about the receiver: its lease ends, and it is repeated.
      if (aborted.signal.aborted && result.outcome === 'retry') return;
      metrics.attempted(result, delivery);
      await record(result);
    } catch (err) {
      logger.warn({ err, deliveryId: delivery.id }, 'an attempt could not be recorded, the event is sent again');
    } finally {
      const left = (inProgress.get(endpointId) ?? 1) - 1;
      if (left === 0) inProgress.delete(endpointId);
      else inProgress.set(endpointId, left);
      if (isFailing) failingCount -= 1;
      if (mayHaveMore && left <= MAX_PER_ENDPOINT / 2 && !isFailing) refill();
    }
  }

  /** Takes what is due. @param withFailing whether endpoints that fail are due, too. */
  async function take(withFailing: boolean): Promise<void> {
    const healthyCount = [...inProgress.values()].reduce((sum, count) => sum + count, 0) - failingCount;
    const room = Math.max(0, MAX_IN_PROGRESS - healthyCount);
    const failingRoom = withFailing ? Math.max(0, MAX_FAILING_IN_PROGRESS - failingCount) : 0;
    const taken = await store.take({
      inProgress,
      maxPerEndpoint: MAX_PER_ENDPOINT,
      room,
      failingRoom,
      leaseMs: LEASE_MS,
    });
    mayHaveMore = taken.some(({ isFailing }) => !isFailing);
    for (const delivery of taken) {
      const done = attempt(delivery);
      attempts.add(done);
      void done.finally(() => attempts.delete(done));
    }
  }

  /** Takes, one at a time. */
  function takeOnce(withFailing: boolean): Promise<void> {
    taking ??= take(withFailing).finally(() => {
      taking = undefined;
    });
    return taking;
  }

  function refill(): void {
    if (isStopped) return;
    takeOnce(false).catch((err: unknown) => {
      mayHaveMore = false;
      logger.warn({ err }, 'due events could not be taken yet');
    });
  }

  return {
    async poll() {
      if (!isStopped) await takeOnce(true);
    },
    async stop(graceMs) {
      isStopped = true;
      await taking?.catch(() => undefined);
      const limit = setTimeout(() => aborted.abort(), graceMs);
      await Promise.all(attempts);
      clearTimeout(limit);
    },
  };
}

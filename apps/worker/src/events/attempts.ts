import type { AttemptResult, DisabledEndpoint, TakenDelivery } from '@deckhand/db';
import { createBatcher, type Logger } from '@deckhand/runtime';
import type { LaneContext } from './delivery-lane.ts';
import type { EventMetrics } from './event-metrics.ts';
import type { SendEvent } from './send-event.ts';

/** Maximum number of attempts in progress for all endpoints that work. An endpoint has fewer, by its lane. */
const MAX_IN_PROGRESS = 256;
/** The same for endpoints that fail: however many there are, they take nothing from the others. */
const MAX_FAILING_IN_PROGRESS = 32;
/** How many results are recorded at once, and for how long they are gathered, in ms. */
const MAX_RECORDED = 500;
const GATHER_MS = 100;

/** What attempts need. */
export interface AttemptParts {
  readonly record: (results: readonly AttemptResult[]) => Promise<readonly DisabledEndpoint[]>;
  readonly send: SendEvent;
  readonly metrics: EventMetrics;
  readonly logger: Logger;
  /** Called when an attempt is over, before its result is recorded. */
  readonly onAttempted: (endpointId: string, result: AttemptResult) => void;
  /** Called when its result is recorded, or cannot be. */
  readonly onRecorded: (endpointId: string, isRecorded: boolean) => void;
}

/** The attempts of all lanes that are in progress, and the results that are being recorded. */
export interface Attempts {
  /** Begins an attempt. */
  readonly begin: (delivery: TakenDelivery, isFailing: boolean) => void;
  /** Returns how many more may begin. */
  readonly places: () => LaneContext['places'];
  /** Returns the ids of deliveries of an endpoint whose results are being recorded. */
  readonly recordingOf: (endpointId: string) => Iterable<string>;
  /** Aborts the attempts in progress: they are repeated. */
  readonly abort: () => void;
  /** Resolves when those in progress are over and recorded. */
  readonly settled: () => Promise<unknown>;
}

/** Creates what makes attempts. */
export function createAttempts(parts: AttemptParts): Attempts {
  const { send, metrics, logger, onAttempted, onRecorded } = parts;
  const aborted = new AbortController();
  const attempts = new Set<Promise<void>>();
  const inProgress = { working: 0, failing: 0 };
  /** By endpoint. */
  const recording = new Map<string, Set<string>>();

  const record = createBatcher<AttemptResult, undefined>({
    async flush(results) {
      for (const { id, reason } of await parts.record(results)) {
        metrics.disabled(reason);
        logger.warn({ endpointId: id, reason }, 'disabled an event endpoint');
      }
      return results.map(() => undefined);
    },
    maxSize: MAX_RECORDED,
    concurrency: 1,
    gatherMs: GATHER_MS,
  });

  async function attempt(delivery: TakenDelivery, isFailing: boolean): Promise<void> {
    const { id, endpointId } = delivery;
    const count = isFailing ? 'failing' : 'working';
    inProgress[count] += 1;
    const result = await send(delivery, aborted.signal);
    inProgress[count] -= 1;
    const own = recording.get(endpointId) ?? new Set();
    recording.set(endpointId, own.add(id));
    onAttempted(endpointId, result);
    // An attempt that this process broke off says nothing about the receiver: it is repeated.
    const isRecorded =
      (!aborted.signal.aborted || result.outcome !== 'retry') && (await recordAttempt(result, delivery));
    own.delete(id);
    if (own.size === 0) recording.delete(endpointId);
    onRecorded(endpointId, isRecorded);
  }

  /** Records the result of an attempt. @returns false if it cannot be recorded. */
  async function recordAttempt(result: AttemptResult, delivery: TakenDelivery): Promise<boolean> {
    metrics.attempted(result, delivery);
    try {
      await record(result);
      return true;
    } catch (err) {
      logger.warn({ err, deliveryId: delivery.id }, 'failed to record a delivery attempt, sending the event again');
      return false;
    }
  }

  return {
    begin(delivery, isFailing) {
      const done = attempt(delivery, isFailing).finally(() => attempts.delete(done));
      attempts.add(done);
    },
    places: () => ({
      working: MAX_IN_PROGRESS - inProgress.working,
      failing: MAX_FAILING_IN_PROGRESS - inProgress.failing,
    }),
    recordingOf: (endpointId) => recording.get(endpointId) ?? [],
    abort: () => aborted.abort(),
    settled: () => Promise.all(attempts),
  };
}

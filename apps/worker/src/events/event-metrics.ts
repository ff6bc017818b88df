import type { AttemptResult, DisabledEndpoint, EventBacklog, TakenDelivery } from '@deckhand/db';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

const OUTCOMES: readonly AttemptResult['outcome'][] = ['delivered', 'retry', 'failed', 'gone'];
const REASONS: readonly DisabledEndpoint['reason'][] = ['gone', 'failing'];
/** Upper bounds, in seconds. */
const ATTEMPT_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];
const DELAY_SECONDS = [0.1, 0.5, 1, 2, 5, 15, 60, 300, 3_600, 86_400];

/** Metrics of the delivery of events. */
export interface EventMetrics {
  /** Notes an attempt. */
  attempted(result: AttemptResult, delivery: TakenDelivery): void;
  disabled(reason: DisabledEndpoint['reason']): void;
  backlog(backlog: EventBacklog): void;
}

/** Adds the metrics to a registry. Only the worker that holds the maintenance lease delivers events. */
export function createEventMetrics(registry: Registry): EventMetrics {
  const registers = [registry];
  const attempts = new Counter({
    name: 'deckhand_event_attempts_total',
    help: 'Attempts to deliver an event, by outcome; retry and failed are failures, gone disabled the endpoint',
    labelNames: ['outcome'],
    registers,
  });
  const attemptSeconds = new Histogram({
    name: 'deckhand_event_attempt_duration_seconds',
    help: 'Duration of attempts to deliver an event',
    buckets: ATTEMPT_SECONDS,
    registers,
  });
  const delaySeconds = new Histogram({
    name: 'deckhand_event_delay_seconds',
    help: 'From an event to its delivery, of events that the first attempt delivered',
    buckets: DELAY_SECONDS,
    registers,
  });
  const disabled = new Counter({
    name: 'deckhand_event_endpoints_disabled_total',
    help: 'Event endpoints that were disabled because of their failures, by reason',
    labelNames: ['reason'],
    registers,
  });
  const backlogDeliveries = new Gauge({
    name: 'deckhand_event_backlog_deliveries',
    help: 'Events that are not delivered yet, up to 100,000; on the holder of the maintenance lease',
    registers,
  });
  const overdueSeconds = new Gauge({
    name: 'deckhand_event_overdue_seconds',
    help: 'For how long the earliest due event has been due; on the holder of the maintenance lease',
    registers,
  });
  for (const outcome of OUTCOMES) attempts.inc({ outcome }, 0);
  for (const reason of REASONS) disabled.inc({ reason }, 0);
  return {
    attempted({ attempt, outcome }, delivery) {
      attempts.inc({ outcome });
      attemptSeconds.observe(attempt.durationMs / 1_000);
      if (outcome !== 'delivered' || delivery.attempt > 1) return;
      const endedAt = Date.parse(attempt.at) + attempt.durationMs;
      delaySeconds.observe(Math.max(0, (endedAt - delivery.occurredAt.getTime()) / 1_000));
    },
    disabled: (reason) => disabled.inc({ reason }),
    backlog(backlog) {
      backlogDeliveries.set(backlog.deliveries);
      overdueSeconds.set(backlog.overdueSeconds);
    },
  };
}

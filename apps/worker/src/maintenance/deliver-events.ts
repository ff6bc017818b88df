import { readEventBacklog, tidyEventDeliveries } from '@deckhand/db';
import type { EventDeliverer } from '../events/deliver-events.ts';
import type { EventMetrics } from '../events/event-metrics.ts';
import type { PeriodicTask } from '../run-periodically.ts';
import { type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.ts';

/** Maximum number of rows of each kind that one statement changes. */
const BATCH = 5_000;
/** Time after which a pass begins no more statements, in ms. */
const BUDGET_MS = 2_000;
/** Maximum number of deliveries that are counted. */
const MAX_COUNTED = 100_000;

/** Creates the task that begins attempts for due events. */
export function createEventDelivery(deliverer: Pick<EventDeliverer, 'poll'>): PeriodicTask {
  return {
    name: 'deliver_events',
    intervalMs: 1_000,
    timeLimitMs: TASK_TIME_LIMIT_MS,
    run: () => deliverer.poll(),
  };
}

/** Creates the task that fails and deletes deliveries that nobody attempts any more, and measures the backlog. */
export function createEventTidying(
  { db }: Pick<MaintenanceContext, 'db'>,
  metrics: Pick<EventMetrics, 'backlog'>,
): PeriodicTask {
  return {
    name: 'tidy_events',
    intervalMs: 15_000,
    timeLimitMs: TASK_TIME_LIMIT_MS,
    async run(signal) {
      const until = performance.now() + BUDGET_MS;
      while ((await tidyEventDeliveries(db, BATCH)) > 0 && !signal.aborted && performance.now() < until);
      metrics.backlog(await readEventBacklog(db, MAX_COUNTED));
    },
  };
}

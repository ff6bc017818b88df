import { leaseEventLanes, recordEventAttempts, releaseEventLanes, takeEventDeliveries } from '@deckhand/db';
import type { WorkerStores } from '../stores.ts';
import type { WorkerOptions } from '../worker-options.ts';
import { createEventDeliverer, type EventDeliverer } from './deliver-events.ts';
import type { EventMetrics } from './event-metrics.ts';
import { createEventSender } from './send-event.ts';

/** Creates the deliverer of the lanes that this worker leases in the database. */
export function createWorkerDeliverer(
  { id, services, secretBox, publicUrl, logger }: WorkerOptions,
  { db, retry, clock }: Pick<WorkerStores, 'db' | 'retry' | 'clock'>,
  metrics: EventMetrics,
): EventDeliverer {
  return createEventDeliverer({
    store: {
      lease: (times) => leaseEventLanes(db, { holder: id, ...times }),
      take: (lanes, minLeftMs) => takeEventDeliveries(db, { holder: id, lanes, minLeftMs }),
      release: () => releaseEventLanes(db, id),
      record: (results) => retry('event attempts', () => recordEventAttempts(db, results)),
    },
    send: createEventSender({ http: services.http, secretBox, publicUrl, now: clock.now }),
    metrics,
    logger,
  });
}

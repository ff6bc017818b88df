import { type Database, type DeliveryRecord, insertDeliveries, pruneDeliveries } from '@deckhand/db';
import type { Logger } from '@deckhand/runtime';

/** Keeps the last requests to each workflow's webhooks. */
export interface DeliveryLog {
  /** Remembers a request; it is written a moment later, and nobody waits for that. */
  note(record: DeliveryRecord): void;
  /** Writes what is remembered; called at shutdown. */
  flush(): Promise<void>;
}

/** How long requests are gathered before they are written, in ms. */
const GATHER_MS = 250;
/** Requests of one statement. */
const BATCH = 1_000;
/** Requests remembered at most, while PostgreSQL is slower than they come; further ones are left out. */
const WAITING_MAX = 20_000;

/** Gathers requests and writes them in batches, one at a time. What cannot be written is only logged. */
export function createDeliveryLog({ db, logger }: { db: Database; logger: Logger }): DeliveryLog {
  const waiting: DeliveryRecord[] = [];
  let left = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH);
      try {
        await insertDeliveries(db, batch);
        await pruneDeliveries(db, [...new Set(batch.map(({ workflowId }) => workflowId))]);
      } catch (err) {
        logger.warn({ err, requests: batch.length }, 'requests to webhooks could not be logged');
      }
    }
    if (left > 0) logger.warn({ requests: left }, 'requests to webhooks were left out of their log');
    left = 0;
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing ??= write().finally(() => {
      writing = undefined;
    });
    await writing;
  }

  return {
    note(record) {
      if (waiting.length >= WAITING_MAX) {
        left += 1;
        return;
      }
      waiting.push(record);
      timer ??= setTimeout(() => void flush(), GATHER_MS).unref();
    },
    flush,
  };
}

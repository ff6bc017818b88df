import { type Database, type DeliveryRecord, insertDeliveries, pruneDeliveries } from '@deckhand/db';
import type { Logger } from '@deckhand/runtime';

/** Keeps the last requests to each workflow's webhooks. */
export interface DeliveryLog {
  /** Remembers a request; it is written a moment later, and nobody waits for that. */
  note(record: DeliveryRecord): void;
  /** Writes what is remembered, and deletes what is too old; called at shutdown. */
  flush(): Promise<void>;
}

/** How long requests are gathered before they are written, in ms. */
const GATHER_MS = 250;
/** Between two times at which what is too old is deleted, in ms: finding it costs more than writing many requests. */
const PRUNE_MS = 5_000;
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
  /** Workflows with requests beyond those that are kept, perhaps. */
  const grown = new Set<string>();
  let pruneTimer: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH);
      try {
        await insertDeliveries(db, batch);
        for (const { workflowId } of batch) grown.add(workflowId);
        pruneTimer ??= setTimeout(() => void prune(), PRUNE_MS).unref();
      } catch (err) {
        logger.warn({ err, requests: batch.length }, 'requests to webhooks could not be logged');
      }
    }
    if (left > 0) logger.warn({ requests: left }, 'requests to webhooks were left out of their log');
    left = 0;
  }

  async function prune(): Promise<void> {
    clearTimeout(pruneTimer);
    pruneTimer = undefined;
    const workflowIds = [...grown];
    grown.clear();
    if (workflowIds.length === 0) return;
    await pruneDeliveries(db, workflowIds).catch((err: unknown) => {
      // The next request to them brings the next try.
      logger.warn({ err }, 'old requests to webhooks could not be deleted');
    });
  }

  async function writeAll(): Promise<void> {
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
      timer ??= setTimeout(() => void writeAll(), GATHER_MS).unref();
    },
    async flush() {
      await writeAll();
      await prune();
    },
  };
}

import { type Database, type DeliveryRecord, insertDeliveries, pruneDeliveries } from '@deckhand/db';
import type { Logger } from '@deckhand/runtime';

/** Records the latest requests to the webhooks of each workflow. */
export interface DeliveryLog {
  /** Records a request. It is written a moment later, in the background. */
  note(record: DeliveryRecord): void;
  /** Writes all recorded requests, and deletes old ones. Called at shutdown. */
  flush(): Promise<void>;
}

/** How long requests are gathered before they are written, in ms. */
const GATHER_MS = 250;
/** Interval between deletions of old requests, in ms. Finding them costs more than writing many requests. */
const PRUNE_MS = 5_000;
/** Maximum number of requests per statement. */
const BATCH = 1_000;
/** Maximum number of requests in memory. If PostgreSQL is slower than they arrive, further ones are dropped. */
const MAX_WAITING = 20_000;

/** Creates the log. Requests are written in batches, one batch at a time. A batch that fails is only logged. */
export function createDeliveryLog({ db, logger }: { db: Database; logger: Logger }): DeliveryLog {
  const waiting: DeliveryRecord[] = [];
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  /** Workflows that may have more requests than are kept. */
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
        logger.warn({ err, requests: batch.length }, 'failed to log requests to webhooks');
      }
    }
    if (dropped > 0) logger.warn({ requests: dropped }, 'dropped requests to webhooks from their log');
    dropped = 0;
  }

  async function prune(): Promise<void> {
    clearTimeout(pruneTimer);
    pruneTimer = undefined;
    const workflowIds = [...grown];
    grown.clear();
    if (workflowIds.length === 0) return;
    await pruneDeliveries(db, workflowIds).catch((err: unknown) => {
      // The next request to these workflows triggers the next attempt.
      logger.warn({ err }, 'failed to delete old requests to webhooks');
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
      if (waiting.length >= MAX_WAITING) {
        dropped += 1;
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

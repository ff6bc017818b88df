import { DeckhandError } from '@deckhand/contracts';
import { acceptEvents, type Database, type EventVerdict, needsPermission, type NewEvent } from '@deckhand/db';
import { createFairSemaphore } from '@deckhand/nodes';
import { publishControl, type Redis } from '@deckhand/queue';
import { createBatcher, type Logger } from '@deckhand/runtime';
import { v7 as uuidv7 } from 'uuid';
import type { WriteBreaker } from './write-breaker.ts';

/** What became of an event. `isSame`: false if its id was used by an event with another name, key or data. */
export interface SentVerdict {
  readonly isRepeated: boolean;
  readonly isSame: boolean;
}

/** Stores events. */
export interface EventSender {
  /**
   * Resolves once the event is on disk. It is matched afterwards.
   * @throws DeckhandError FORBIDDEN, workspace_over_quota, RATE_LIMITED, write_circuit_open.
   */
  send(event: Omit<NewEvent, 'id'>): Promise<SentVerdict>;
}

/** Maximum number of events per statement, and of statements at the same time. */
const BATCH = { maxSize: 200, concurrency: 2 } as const;
/** An event with more data, in characters, is stored by itself, so that batches stay bounded. */
const MAX_BATCHED_CHARACTERS = 65_536;
/** How many such events are stored at the same time. */
const MAX_LARGE_WRITES = 2;
/** When to send again after there were too many events, in seconds. */
const RETRY_AFTER_SECONDS = 1;

/** Creates the sender. Events that arrive together are stored by one statement. */
export function createEventSender(options: {
  db: Database;
  redis: Redis;
  breaker: WriteBreaker;
  logger: Logger;
}): EventSender {
  const { db, redis, breaker, logger } = options;

  async function store(events: NewEvent[]): Promise<EventVerdict[]> {
    const verdicts = await breaker.watch(() => acceptEvents(db, events));
    // Without this, maintenance finds the events within a second.
    publishControl(redis, { type: 'events', executionIds: [] }).catch((err: unknown) =>
      logger.debug({ err }, 'failed to notify workers of events'),
    );
    return verdicts;
  }

  const insert = createBatcher({ ...BATCH, flush: store });
  const large = createFairSemaphore(MAX_LARGE_WRITES);

  async function write(event: NewEvent): Promise<EventVerdict | undefined> {
    if (event.data.length <= MAX_BATCHED_CHARACTERS) return insert(event);
    const release = await large.acquire(event.workspaceId, new AbortController().signal);
    try {
      return (await store([event]))[0];
    } finally {
      release();
    }
  }

  return {
    async send(event) {
      breaker.check();
      const verdict = await write({ id: uuidv7(), ...event });
      switch (verdict?.kind) {
        case 'accepted':
          return { isRepeated: verdict.isRepeated, isSame: verdict.isSame };
        case 'overQuota':
          throw new DeckhandError('workspace_over_quota');
        case 'tooMany':
          throw new DeckhandError('RATE_LIMITED', {
            message: 'Too many events of the workspace are not matched yet',
            headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
          });
        case 'forbidden':
          throw new DeckhandError('FORBIDDEN', { message: needsPermission('runs.start') });
        default:
          throw new DeckhandError('FORBIDDEN', { message: 'You are not a member of this workspace' });
      }
    },
  };
}

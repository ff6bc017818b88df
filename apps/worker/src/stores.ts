import { type Database, readDatabaseTime } from '@deckhand/db';
import { connectRedis, openQueueShards, type QueueProducer, type QueueShards, type Redis } from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';
import { createRetryWhileUnavailable, type RetryWhileUnavailable } from './checkpoints/retry-while-unavailable.ts';
import { createDatabaseClock, type DatabaseClock } from './database-clock.ts';
import type { WorkerOptions } from './worker-options.ts';

/** The stores of a worker, and how it uses them. */
export interface WorkerStores {
  readonly db: Database;
  readonly redis: Redis;
  /** The connection for messages to this worker. */
  readonly subscriber: Redis;
  /** Puts runs into the queue of any shard. */
  readonly queue: QueueProducer;
  /** The shard whose jobs this worker takes. */
  readonly shard: ReturnType<QueueShards['shard']>;
  /** The time of the database. */
  readonly clock: DatabaseClock;
  /** Repeats what fails while a store is unavailable, until `giveUp`. */
  readonly retry: RetryWhileUnavailable;
  /** Aborted by `giveUp`. */
  readonly ended: AbortSignal;
  /** Ends all repetitions. Recovery takes care of what could not be written by then. */
  giveUp(): void;
  /** Closes the connections to Redis. */
  close(): Promise<void>;
  readonly onQueueError: (error: Error) => void;
}

/** Connects to the stores. Resolves when the database has told its time. */
export async function connectStores({ db, logger, ...options }: WorkerOptions): Promise<WorkerStores> {
  const { redisUrl, shardUrls } = options;
  const redis = connectLogged(redisUrl, 'producer', logger);
  const subscriber = connectLogged(redisUrl, 'subscriber', logger);
  const ended = new AbortController();
  const retry = createRetryWhileUnavailable({ ended: ended.signal, logger });
  const clock = createDatabaseClock(() => readDatabaseTime(db));
  await retry('clock', () => clock.measure());
  const onQueueError = (err: Error): void => logger.debug({ err: err.message }, 'queue error');
  const queue = openQueueShards({ redisUrl, redis, shardUrls, onError: onQueueError });
  return {
    ...{ db, redis, subscriber, queue, clock, retry, onQueueError },
    shard: queue.shard(options.shard ?? 0),
    ended: ended.signal,
    giveUp: () => ended.abort(),
    async close() {
      await queue.close();
      redis.disconnect();
      subscriber.disconnect();
    },
  };
}

function connectLogged(redisUrl: string, role: 'producer' | 'subscriber', logger: Logger): Redis {
  const connection = connectRedis(redisUrl, { role });
  connection.on('error', (err: Error) => logger.warn({ err: err.message }, 'Redis became unavailable'));
  return connection;
}

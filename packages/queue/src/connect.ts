import { Redis } from 'ioredis';

export type { Redis };

/**
 * What a connection is for. `producer` fails fast while Redis is away, so that a request gets its answer; `blocking` waits
 * for Redis to come back, as BullMQ's workers must; `subscriber` resubscribes by itself.
 */
export type RedisRole = 'producer' | 'blocking' | 'subscriber';

/** How long a producer waits for an answer, in ms. */
const COMMAND_TIMEOUT_MS = 2_000;

/**
 * A connection whose questions get no answer for this long is replaced, in ms. The network may swallow what is sent without ever
 * saying so; no question that we ask is kept waiting for longer than a second.
 */
const SILENT_AFTER_MS = 5_000;

/** Between two questions whose answers show that a subscription is still heard, in ms. */
const SUBSCRIBER_PING_MS = 5_000;

/** Opens a connection. Errors of the connection are left to the caller's `error` listener. */
export function connectRedis(url: string, options: { role: RedisRole }): Redis {
  const reconnect = (attempt: number): number => Math.min(50 * 2 ** Math.min(attempt, 5), 1_000);
  if (options.role === 'producer') {
    return new Redis(url, {
      retryStrategy: reconnect,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: COMMAND_TIMEOUT_MS,
      connectTimeout: COMMAND_TIMEOUT_MS,
      socketTimeout: SILENT_AFTER_MS,
    });
  }
  const redis = new Redis(url, {
    retryStrategy: reconnect,
    maxRetriesPerRequest: null,
    socketTimeout: SILENT_AFTER_MS,
  });
  if (options.role === 'subscriber') keepAsking(redis);
  return redis;
}

/** A subscriber says nothing by itself, so it would never find out that it is not heard any more. */
function keepAsking(redis: Redis): void {
  const timer = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(() => undefined);
  }, SUBSCRIBER_PING_MS).unref();
  redis.once('end', () => clearInterval(timer));
}

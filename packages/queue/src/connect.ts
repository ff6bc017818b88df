import { Redis } from 'ioredis';

export type { Redis };

/**
 * What a connection is for. `producer` fails fast while Redis is away, so that a request gets its answer; `blocking` waits
 * for Redis to come back, as BullMQ's workers must; `subscriber` resubscribes by itself.
 */
export type RedisRole = 'producer' | 'blocking' | 'subscriber';

/** How long a producer waits for an answer, in ms. */
const COMMAND_TIMEOUT_MS = 2_000;

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
    });
  }
  return new Redis(url, { retryStrategy: reconnect, maxRetriesPerRequest: null });
}

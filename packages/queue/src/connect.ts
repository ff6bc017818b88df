import { connectTarget, type Redis, type RedisRole } from './connect-target.ts';
import { readRedisUrl } from './redis-url.ts';

export type { Redis, RedisRole };

/** Interval of the pings that show that a subscription still receives messages, in ms. */
const SUBSCRIBER_PING_MS = 5_000;

/**
 * Opens a connection. Errors of the connection are left to the caller's `error` listener.
 * @param url one of the forms that `readRedisUrl` takes.
 * @throws SettingsError naming REDIS_URL when it is none of them.
 */
export function connectRedis(url: string, { role }: { role: RedisRole }): Redis {
  const redis = connectTarget(readRedisUrl(url), role);
  if (role === 'subscriber') keepPinging(redis);
  return redis;
}

/** A subscriber sends nothing by itself, so it would never find out that its connection is dead. */
function keepPinging(redis: Redis): void {
  const timer = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(() => undefined);
  }, SUBSCRIBER_PING_MS).unref();
  redis.once('end', () => clearInterval(timer));
}

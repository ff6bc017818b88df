import { Cluster, type CommonRedisOptions, Redis as Server } from 'ioredis';
import { readRedisUrl, type RedisTarget } from './redis-url.js';

/** A connection to one server, to the present master of several, or to a cluster: what it is told is the same. */
export type Redis = Server | Cluster;

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

/** A server that takes no writes has become a replica: reconnect, and send once more what it refused. */
const RECONNECT_AND_SEND_AGAIN = 2;

/**
 * Opens a connection. Errors of the connection are left to the caller's `error` listener.
 * @param url one of the forms that `readRedisUrl` takes.
 * @throws SettingsError naming REDIS_URL when it is none of them.
 */
export function connectRedis(url: string, { role }: { role: RedisRole }): Redis {
  const redis = connect(readRedisUrl(url), role);
  if (role === 'subscriber') keepAsking(redis);
  return redis;
}

function connect(target: RedisTarget, role: RedisRole): Redis {
  const isProducer = role === 'producer';
  const options = optionsFor(role);
  const waiting = { retryStrategy: reconnect, enableOfflineQueue: !isProducer };
  switch (target.kind) {
    case 'server':
      return new Server(target.url, { ...options, ...waiting });
    case 'sentinel':
      return new Server({
        ...options,
        ...waiting,
        sentinels: [...target.sentinels],
        name: target.masterName,
        db: target.db,
        ...defined(target.login),
        ...(target.sentinelLogin.username === undefined ? {} : { sentinelUsername: target.sentinelLogin.username }),
        ...(target.sentinelLogin.password === undefined ? {} : { sentinelPassword: target.sentinelLogin.password }),
        ...(target.hasTls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
        sentinelRetryStrategy: reconnect,
        // No failoverDetector: told of a change while it connects, ioredis 6 gives the connection up for good. A master that is
        // demoted closes its connections, or answers READONLY.
      });
    case 'cluster':
      return new Cluster([...target.nodes], {
        enableOfflineQueue: !isProducer,
        clusterRetryStrategy: reconnect,
        redisOptions: { ...options, ...defined(target.login), ...(target.hasTls ? { tls: {} } : {}) },
        // Certificates name hosts, so these are not to be looked up before.
        ...(target.hasTls ? { dnsLookup: (host, callback) => callback(null, host) } : {}),
      });
  }
}

function optionsFor(role: RedisRole): CommonRedisOptions {
  const always: CommonRedisOptions = {
    socketTimeout: SILENT_AFTER_MS,
    reconnectOnError: ({ message }) => (message.startsWith('READONLY') ? RECONNECT_AND_SEND_AGAIN : false),
  };
  return role === 'producer'
    ? { ...always, maxRetriesPerRequest: 0, commandTimeout: COMMAND_TIMEOUT_MS, connectTimeout: COMMAND_TIMEOUT_MS }
    : { ...always, maxRetriesPerRequest: null };
}

function reconnect(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt, 5), 1_000);
}

function defined({ username, password }: { username: string | undefined; password: string | undefined }): {
  username?: string;
  password?: string;
} {
  return { ...(username === undefined ? {} : { username }), ...(password === undefined ? {} : { password }) };
}

/** A subscriber says nothing by itself, so it would never find out that it is not heard any more. */
function keepAsking(redis: Redis): void {
  const timer = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(() => undefined);
  }, SUBSCRIBER_PING_MS).unref();
  redis.once('end', () => clearInterval(timer));
}

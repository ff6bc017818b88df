import { Cluster, type CommonRedisOptions, Redis as Server } from 'ioredis';
import type { RedisTarget } from './redis-url.ts';

/** A connection to one server, to the current master behind sentinels, or to a cluster. All have the same commands. */
export type Redis = Server | Cluster;

/**
 * What a connection is for. `producer` fails fast while Redis is away, so that a request gets its response; `blocking`
 * waits for Redis to come back, as BullMQ's workers must; `standby` does too, and its commands wait for longer;
 * `subscriber` resubscribes by itself.
 */
export type RedisRole = 'producer' | 'blocking' | 'standby' | 'subscriber';

/** How long a producer waits for a response, in ms. */
const COMMAND_TIMEOUT_MS = 2_000;

/**
 * A connection whose commands get no response for this long is replaced, in ms. The network may drop what is sent
 * without an error; Redis answers each command of ours at least a second earlier.
 */
const SILENT_AFTER_MS = 5_000;
const STANDBY_SILENT_AFTER_MS = 10_000;

/** For ioredis: reconnect, and resend the refused command. A server that refuses writes has become a replica. */
const RECONNECT_AND_RESEND = 2;

/** Opens a connection. Errors of the connection are left to the caller's `error` listener. */
export function connectTarget(target: RedisTarget, role: RedisRole): Redis {
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
        // No failoverDetector: notified of a change while it connects, ioredis 6 gives the connection up for good. A
        // master that is demoted closes its connections, or answers READONLY.
      });
    case 'cluster':
      return new Cluster([...target.nodes], {
        enableOfflineQueue: !isProducer,
        clusterRetryStrategy: reconnect,
        redisOptions: { ...options, ...defined(target.login), ...(target.hasTls ? { tls: {} } : {}) },
        // Certificates name hosts, so the names must not be resolved before connecting.
        ...(target.hasTls ? { dnsLookup: (host, callback) => callback(null, host) } : {}),
      });
  }
}

function optionsFor(role: RedisRole): CommonRedisOptions {
  const always: CommonRedisOptions = {
    socketTimeout: role === 'standby' ? STANDBY_SILENT_AFTER_MS : SILENT_AFTER_MS,
    reconnectOnError: ({ message }) => (message.startsWith('READONLY') ? RECONNECT_AND_RESEND : false),
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

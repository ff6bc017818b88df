import type { Redis } from './connect-target.ts';
import { drainRequestKey, HEARTBEATS_KEY, MAINTENANCE_DEPUTIES_KEY, WORKERS_KEY } from './names.ts';

/** Interval of a worker's heartbeats, in ms. */
export const HEARTBEAT_INTERVAL_MS = 1_000;

/**
 * Interval of the heartbeats of a worker that stands by and holds no run, in ms. In a large fleet nearly all workers
 * do, and their heartbeats would cost Redis more than anything else.
 */
const STANDBY_INTERVAL_MS = 5_000;

/** By how much a heartbeat may be late, in ms. */
const MAX_DELAY_MS = 2_000;

/** A worker whose heartbeat stays the same for longer, in ms, is dead unless it announced a longer interval. */
export const HEARTBEAT_LIFETIME_MS = lifetimeOf(HEARTBEAT_INTERVAL_MS);

/** A worker whose event loop is blocked for longer than this, in ms, loses its runs to others. */
export const BLOCKED_AFTER_MS = 3_000;

/**
 * Number of deputies of the worker that does the maintenance: as many may die with it without delaying recovery by
 * much.
 */
export const MAX_DEPUTIES = 3;

/** Dead workers are forgotten after this long, in ms. */
const FORGET_AFTER_MS = 600_000;

/**
 * `consuming`: takes jobs when there are any. `stalled`: alive, but cannot take jobs, because the queue does not
 * respond, runs cannot be claimed, or the event loop is blocked. `draining`: was asked to stop.
 */
export type WorkerState = 'starting' | 'consuming' | 'stalled' | 'draining';

/** Returns how long a heartbeat is valid that announces the next one after an interval, both in ms. */
export function lifetimeOf(intervalMs: number): number {
  return intervalMs + MAX_DELAY_MS;
}

/** The name of `stalled` in Redis, because workers of earlier versions know only this one. */
export const STALLED_IN_REDIS = 'wedged';

/** The description of a worker that each heartbeat contains. */
export interface WorkerDescription {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly state: WorkerState;
  /** Runs it may hold at once. */
  readonly concurrency: number;
  /** Runs it holds now. */
  readonly active: number;
  /** ISO 8601. */
  readonly startedAt: string;
  /** For how long its event loop has been blocked, in ms; 0 if it is not. */
  readonly blockedMs: number;
  /** Whether it leaves jobs to others until one of them wakes it. */
  readonly isStandby: boolean;
  /** Id of the run that blocks its event loop; null if it is not blocked, or if that run is not certain. */
  readonly occupiedBy: string | null;
}

/** Returns the interval to a worker's next heartbeat, in ms. */
export function heartbeatIntervalMs({
  isStandby,
  active,
  state,
}: Pick<WorkerDescription, 'isStandby' | 'active' | 'state'>): number {
  return isStandby && active === 0 && state === 'consuming' ? STANDBY_INTERVAL_MS : HEARTBEAT_INTERVAL_MS;
}

/*
 * KEYS[1] heartbeats (sorted set)  KEYS[2] workers (hash)  KEYS[3] request to drain  KEYS[4] deputies (lease.ts)
 * ARGV[1] worker id  ARGV[2] description, JSON  ARGV[3] ms after which the dead are forgotten
 * Time is Redis's own, so that the clocks of hosts do not matter. Returns 1 if the worker was asked to drain, and the
 * number of deputies.
 */
const BEAT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
local gone = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[3], 'LIMIT', 0, 100)
if #gone > 0 then
  redis.call('ZREM', KEYS[1], unpack(gone))
  redis.call('HDEL', KEYS[2], unpack(gone))
end
return { redis.call('EXISTS', KEYS[3]), redis.call('ZCOUNT', KEYS[4], now, '+inf') }`;

/**
 * Writes a worker's heartbeat, and forgets workers that have long been dead.
 * @returns whether an operator has asked the worker to drain, and whether a deputy is missing: so neither needs a
 * command of its own.
 * @throws the error of Redis.
 */
export async function writeHeartbeat(
  redis: Redis,
  worker: WorkerDescription,
): Promise<{ isDrainRequested: boolean; isDeputyMissing: boolean }> {
  const { id } = worker;
  const state = worker.state === 'stalled' ? STALLED_IN_REDIS : worker.state;
  const description = JSON.stringify({ ...worker, state, intervalMs: heartbeatIntervalMs(worker) });
  const keys = [HEARTBEATS_KEY, WORKERS_KEY, drainRequestKey(id), MAINTENANCE_DEPUTIES_KEY];
  const reply: unknown = await redis.eval(BEAT, keys.length, ...keys, id, description, FORGET_AFTER_MS);
  const [drain, deputies = MAX_DEPUTIES] = Array.isArray(reply) ? reply.map(Number) : [];
  return { isDrainRequested: drain === 1, isDeputyMissing: deputies < MAX_DEPUTIES };
}

/** Removes a worker from the fleet, so that it does not count as dead. @throws the error of Redis. */
export async function leaveFleet(redis: Redis, workerId: string): Promise<void> {
  await redis.multi().zrem(HEARTBEATS_KEY, workerId).hdel(WORKERS_KEY, workerId).exec();
}

import { parseOwnJson } from '@deckhand/contracts';
import type { Redis } from './connect.js';
import { HEARTBEATS_KEY, WORKERS_KEY, WRITE_PROBE_KEY } from './names.js';

/** How often a worker says that it is alive, in ms. */
export const HEARTBEAT_INTERVAL_MS = 1_000;

/** A worker that was silent for longer than this is dead, in ms. */
export const HEARTBEAT_LIFETIME_MS = 3_000;

/** Dead workers are forgotten after this long, in ms. */
const FORGET_AFTER_MS = 600_000;

/**
 * `consuming` takes jobs, or would if there were any; `wedged` is alive and takes none: the queue does not answer it,
 * or the database does not let it claim what it took; `draining` was told to stop.
 */
export type WorkerState = 'starting' | 'consuming' | 'wedged' | 'draining';

/** What a worker says of itself with each heartbeat. */
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
}

/** A worker as the fleet sees it. */
export interface FleetEntry extends WorkerDescription {
  /** ISO 8601, by Redis's clock. */
  readonly lastSeenAt: string;
  /** How old its heartbeat was when it was read, in ms. */
  readonly silentForMs: number;
  /** False once its heartbeat is older than its lifetime. */
  readonly isLive: boolean;
}

/*
 * KEYS[1] heartbeats (sorted set)  KEYS[2] workers (hash)
 * ARGV[1] worker id  ARGV[2] description, JSON  ARGV[3] ms after which the dead are forgotten
 * Time is Redis's own, so that the clocks of hosts do not matter.
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
return now`;

/*
 * KEYS[1] heartbeats (sorted set)  KEYS[2] workers (hash)
 * Returns now in ms, then for each worker: id, time of its last heartbeat in ms, description as JSON.
 */
const READ = `
local time = redis.call('TIME')
local answer = { time[1] * 1000 + math.floor(time[2] / 1000) }
local beats = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for i = 1, #beats, 2 do
  local description = redis.call('HGET', KEYS[2], beats[i])
  if description then
    answer[#answer + 1] = beats[i]
    answer[#answer + 1] = tostring(beats[i + 1])
    answer[#answer + 1] = description
  end
end
return answer`;

/*
 * KEYS[3] a key that is written before anything is read. Otherwise like READ.
 */
const READ_AFTER_WRITE = `redis.call('SET', KEYS[3], '1', 'EX', 60)${READ}`;

/** Renews a worker's heartbeat. */
export async function beat(redis: Redis, worker: WorkerDescription): Promise<void> {
  await redis.eval(BEAT, 2, HEARTBEATS_KEY, WORKERS_KEY, worker.id, JSON.stringify(worker), FORGET_AFTER_MS);
}

/** Takes a worker out of the fleet: it left, it did not die. */
export async function leaveFleet(redis: Redis, workerId: string): Promise<void> {
  await redis.multi().zrem(HEARTBEATS_KEY, workerId).hdel(WORKERS_KEY, workerId).exec();
}

/** Reads every worker that was heard of lately, the dead included. */
export async function readFleet(redis: Redis): Promise<FleetEntry[]> {
  return toFleet(await redis.eval(READ, 2, HEARTBEATS_KEY, WORKERS_KEY));
}

/**
 * Reads the fleet at a moment at which heartbeats can be written, so that a heartbeat which did not change says
 * something of its worker.
 * @throws when Redis takes no writes (no memory left, no replica, a failed snapshot) or is away: then nobody's silence
 * means anything.
 */
export async function readWritableFleet(redis: Redis): Promise<FleetEntry[]> {
  return toFleet(await redis.eval(READ_AFTER_WRITE, 3, HEARTBEATS_KEY, WORKERS_KEY, WRITE_PROBE_KEY));
}

function toFleet(answer: unknown): FleetEntry[] {
  if (!Array.isArray(answer)) return [];
  const now = Number(answer[0]);
  const entries: FleetEntry[] = [];
  for (let i = 1; i + 2 < answer.length; i += 3) {
    const seenAt = Number(answer[i + 1]);
    const description = parseOwnJson<WorkerDescription>(String(answer[i + 2]));
    entries.push({
      ...description,
      lastSeenAt: new Date(seenAt).toISOString(),
      silentForMs: now - seenAt,
      isLive: now - seenAt <= HEARTBEAT_LIFETIME_MS,
    });
  }
  return entries;
}

import type { Redis } from '../connect.ts';
import { MAX_RUN_PRIORITY, type VirtualTime } from '../fair-order.ts';
import { QUEUE_PREFIX, RUN_QUEUE, VIRTUAL_TIME_KEY } from '../names.ts';
import type { JobState } from '../run-queue.ts';

/*
 * Everything that depends on how BullMQ stores its queue in Redis; all else uses its documented interface. BullMQ does
 * not promise any of this, so its version is pinned, and tests/integration/queue/bullmq-layout.test.ts fails where an
 * update changes what is assumed here:
 *
 * - `<prefix>:<queue>:prioritized`, a sorted set of the jobs that wait with a priority. Score: priority × 2³² + a
 *   counter. (The Helm chart scales workers by its length, too.)
 * - `<prefix>:<queue>:<job id>`, a hash that exists while the job does. `timestamp` is always set; `processedOn` and
 *   `pb` (the consumer's name) once the job was taken. They stay when it is given back.
 * - `<prefix>:<queue>:<job id>:lock`, which exists for LOCK_MS from when the job was taken, unless the job is settled.
 */

/** The largest priority that BullMQ accepts: one less than its documentation says. */
export const MAX_PRIORITY = 2_097_151;

/** How long a consumer keeps a job without settling it before the job is delivered again, in ms. */
export const LOCK_MS = 30_000;

const PRIORITIZED_KEY = keyOf('prioritized');

function keyOf(name: string): string {
  return `${QUEUE_PREFIX}:${RUN_QUEUE}:${name}`;
}

/** The base advances when virtual time is this far ahead of it, in rounds: half of the range of priorities. */
const BASE_REACH = 1_048_576;

/*
 * KEYS[1] jobs by priority (sorted set)  KEYS[2] the virtual time (hash)
 * ARGV[1] the latest round that the caller assigned  ARGV[2] how far time may get ahead of the base
 * If no job waits, all assigned rounds were served, and positions may start from the beginning again, with room for the
 * runs with priorities that go before the round being served.
 */
const ADVANCE = `
local served = tonumber(redis.call('HGET', KEYS[2], 'served') or '0')
local base = tonumber(redis.call('HGET', KEYS[2], 'base') or '0')
local before = served
local head = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if head[2] then
  served = math.max(served, base + math.floor(tonumber(head[2]) / 4294967296) - 1)
else
  served = math.max(served, tonumber(ARGV[1]))
end
if served > before then redis.call('HSET', KEYS[2], 'served', served) end
if not head[2] and served - base > tonumber(ARGV[2]) then
  base = served - ${MAX_RUN_PRIORITY}
  redis.call('HSET', KEYS[2], 'base', base)
end
return {served, base, redis.call('ZCARD', KEYS[1])}`;

/** The virtual time of the queue, and the number of waiting jobs. */
export interface QueueProgress extends VirtualTime {
  readonly waiting: number;
}

/**
 * Reads the virtual time of the queue, and advances it with what the caller knows.
 * @param latest the latest round that the caller assigned to a job; it queued such jobs over the same connection.
 * @throws the error of Redis.
 */
export async function advanceVirtualTime(redis: Redis, latest: number): Promise<QueueProgress> {
  const response = await redis.eval(ADVANCE, 2, PRIORITIZED_KEY, VIRTUAL_TIME_KEY, latest, BASE_REACH);
  const [served = 0, base = 0, waiting = 0] = Array.isArray(response) ? response.map(Number) : [];
  return { served, base, waiting };
}

/** Returns the id of the job that is next; undefined if none waits. @throws the error of Redis. */
export async function readNextJobId(redis: Redis): Promise<string | undefined> {
  const [jobId] = await redis.zrange(PRIORITIZED_KEY, '0', '0');
  return jobId;
}

/** Returns the state of each job, in the same order. @throws the error of Redis. */
export async function readJobStates(redis: Redis, jobIds: readonly string[]): Promise<JobState[]> {
  const pipeline = redis.pipeline();
  for (const jobId of jobIds) {
    const key = keyOf(jobId);
    pipeline.hmget(key, 'timestamp', 'processedOn', 'pb');
    pipeline.pttl(`${key}:lock`);
    pipeline.zscore(PRIORITIZED_KEY, jobId);
  }
  const responses = ((await pipeline.exec()) ?? []).map(([error, response]) => {
    if (error) throw error;
    return response;
  });
  return jobIds.map((_, index) => {
    const [fields, lockMs, score] = responses.slice(index * 3, index * 3 + 3);
    return stateOf(Array.isArray(fields) ? fields : [], Number(lockMs), score);
  });
}

function stateOf([addedAt, takenAt, takenBy]: readonly unknown[], lockMs: number, score: unknown): JobState {
  if (typeof addedAt !== 'string') return { kind: 'missing' };
  // A job that was given back has been taken before, and waits.
  if (typeof takenAt !== 'string' || typeof score === 'string') return { kind: 'waiting' };
  // The lock runs by Redis's clock; `takenAt` is that of the host that took the job.
  const forMs = LOCK_MS - Math.max(lockMs, 0);
  return { kind: 'taken', forMs, workerId: typeof takenBy === 'string' ? takenBy : undefined };
}

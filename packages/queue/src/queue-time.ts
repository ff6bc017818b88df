import type { Redis } from './connect.js';
import type { QueueTime } from './fair-order.js';
import { QUEUE_TIME_KEY } from './names.js';

/** The base moves on once time has come so far beyond it, in rounds: half of what priorities reach. */
const BASE_REACH = 1_048_576;

/*
 * KEYS[1] BullMQ's jobs by priority (sorted set; score: the priority, and a counter in the lower 32 bits)  KEYS[2] the time (hash)
 * ARGV[1] the latest round that the asker gave  ARGV[2] how far time may come beyond the base
 * Once nothing waits, all that was given was served, and priorities may begin anew.
 */
const READ = `
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
  base = served
  redis.call('HSET', KEYS[2], 'base', base)
end
return {served, base, redis.call('ZCARD', KEYS[1])}`;

/** How far the queue has come, and how many jobs wait in it. */
export interface QueueLook extends QueueTime {
  readonly waiting: number;
}

/**
 * Reads how far the queue has come, and writes down what the asker knows of it.
 * @param jobsByPriority BullMQ's key.
 * @param latest the latest round that the asker gave to a job; such jobs were queued by the same connection.
 */
export async function readQueueTime(redis: Redis, jobsByPriority: string, latest: number): Promise<QueueLook> {
  const answer = await redis.eval(READ, 2, jobsByPriority, QUEUE_TIME_KEY, latest, BASE_REACH);
  const [served = 0, base = 0, waiting = 0] = Array.isArray(answer) ? answer.map(Number) : [];
  return { served, base, waiting };
}

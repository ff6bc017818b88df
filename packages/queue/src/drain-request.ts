import type { Redis } from './connect.js';
import { drainRequestKey } from './names.js';

/** How long a request waits for its worker, in s: one that cannot reach Redis for longer is not to drain out of the blue. */
const LIFETIME_SECONDS = 600;

/** Asks a worker to drain and end, as SIGTERM does. Kept, so that a worker that is away from Redis for a while finds it. May be repeated. */
export async function requestDrain(redis: Redis, workerId: string): Promise<void> {
  await redis.set(drainRequestKey(workerId), '1', 'EX', LIFETIME_SECONDS);
}

/** Whether somebody asked a worker to drain. */
export async function isDrainRequested(redis: Redis, workerId: string): Promise<boolean> {
  return (await redis.exists(drainRequestKey(workerId))) === 1;
}

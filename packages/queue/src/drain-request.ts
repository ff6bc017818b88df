import type { Redis } from './connect.ts';
import { drainRequestKey } from './names.ts';

/** How long a request is valid, in s: a worker that cannot reach Redis for longer must not drain unexpectedly. */
const LIFETIME_SECONDS = 600;

/**
 * Asks a worker to drain and exit, as SIGTERM does. The request is stored, so that a worker without Redis finds it
 * later. May be repeated.
 */
export async function requestDrain(redis: Redis, workerId: string): Promise<void> {
  await redis.set(drainRequestKey(workerId), '1', 'EX', LIFETIME_SECONDS);
}

import type { Redis } from './connect.js';
import { WRITE_PROBE_KEY } from './names.js';

/** Whether an error says that Redis takes no writes for lack of memory: beyond `maxmemory`, when it may evict nothing. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('OOM ');
}

/** @throws when Redis takes no writes for lack of memory. One that cannot be reached is another matter. */
export async function probeRedisWrites(redis: Redis): Promise<void> {
  await redis.set(WRITE_PROBE_KEY, '1', 'EX', 60).catch((error: unknown) => {
    if (isOutOfMemory(error)) throw error;
  });
}

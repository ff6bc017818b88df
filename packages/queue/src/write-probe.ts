import type { Redis } from './connect.ts';
import { WRITE_PROBE_KEY } from './names.ts';

/** Returns true if Redis refused a write because it has reached `maxmemory` and may evict nothing. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('OOM ');
}

/** Checks that Redis accepts writes. @throws when it refuses them for lack of memory; other errors are ignored. */
export async function probeRedisWrites(redis: Redis): Promise<void> {
  await redis.set(WRITE_PROBE_KEY, '1', 'EX', 60).catch((error: unknown) => {
    if (isOutOfMemory(error)) throw error;
  });
}

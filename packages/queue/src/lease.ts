import type { Redis } from './connect.js';

/*
 * KEYS[1] the lease  ARGV[1] who asks  ARGV[2] for how long, in ms
 * Returns 1 when the asker holds it now, 0 while another does.
 */
const HOLD = `
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/**
 * Takes a lease, or renews the owner's, for `durationMs` of Redis's clock. May be repeated.
 * @returns whether `owner` holds it now.
 */
export async function holdLease(redis: Redis, key: string, owner: string, durationMs: number): Promise<boolean> {
  return (await redis.eval(HOLD, 1, key, owner, durationMs)) === 1;
}

/*
 * KEYS[1] the lease  ARGV[1] who gives it up
 * Returns 1 when the asker held it, 0 otherwise.
 */
const GIVE_UP = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

/** Releases a lease, so that another may take it at once. Does nothing if `owner` does not hold it; may be repeated. */
export async function giveUpLease(redis: Redis, key: string, owner: string): Promise<void> {
  await redis.eval(GIVE_UP, 1, key, owner);
}

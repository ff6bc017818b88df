import type { Redis } from './connect.ts';
import { MAX_DEPUTIES } from './heartbeat.ts';

/**
 * How much a process wants a lease. `eager` takes it when it is free, or from a reluctant owner. `reluctant` takes it
 * only when it is free, and leaves it to the first eager one. `declining` gives it up if it has it, and finds out
 * whether anybody else has it.
 */
export type LeaseClaim = 'eager' | 'reluctant' | 'declining';

/** The owner of a lease. `held`: the claiming process; `taken`: another process; `free`: none. */
export type LeaseState = 'held' | 'taken' | 'free';

/*
 * KEYS[1] the lease  ARGV[1] the claiming process  ARGV[2] duration, in ms  ARGV[3] the claim
 * A reluctant owner's name has a mark at its end. Returns the state.
 */
const CLAIM = `
local owner = redis.call('GET', KEYS[1])
local marked = ARGV[1] .. '~'
local isMine = owner == ARGV[1] or owner == marked
if ARGV[3] == 'declining' then
  if isMine then redis.call('DEL', KEYS[1]) end
  if owner and not isMine then return 'taken' end
  return 'free'
end
local isOffered = owner and string.sub(owner, -1) == '~' and ARGV[3] == 'eager'
if owner and not isMine and not isOffered then return 'taken' end
redis.call('SET', KEYS[1], ARGV[3] == 'eager' and ARGV[1] or marked, 'PX', ARGV[2])
return 'held'`;

/** Takes, renews or declines a lease, for `durationMs` of Redis's clock. May be repeated. @returns who has it now. */
export async function claimLease(
  redis: Redis,
  key: string,
  request: { readonly owner: string; readonly durationMs: number; readonly claim: LeaseClaim },
): Promise<LeaseState> {
  const state: unknown = await redis.eval(CLAIM, 1, key, request.owner, request.durationMs, request.claim);
  if (state === 'held' || state === 'taken' || state === 'free') return state;
  throw new Error(`the lease is in no known state: ${String(state)}`);
}

/*
 * KEYS[1] the deputies: names by when they expire  ARGV[1] the process  ARGV[2] duration, in ms  ARGV[3] how many
 * Returns 1 if the process is one of them.
 */
const DEPUTIZE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
return 1`;

/**
 * Becomes or stays one of the few deputies of a lease's owner, for `durationMs` of Redis's clock. May be repeated.
 * @returns whether the process is one.
 */
export async function claimDeputy(
  redis: Redis,
  key: string,
  request: { readonly owner: string; readonly durationMs: number },
): Promise<boolean> {
  return (await redis.eval(DEPUTIZE, 1, key, request.owner, request.durationMs, MAX_DEPUTIES)) === 1;
}

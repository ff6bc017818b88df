import type { Redis } from './connect.ts';
import { trafficKeys } from './names.ts';

/*
 * Limits of requests to a host, shared by all workers. Times are of Redis's clock, in ms.
 *
 * The rate is limited by the generic cell rate algorithm: a key has the theoretical arrival time of the next request. A
 * request that has to wait takes its place at once, by advancing that time, and gets a ticket with the time of its
 * place. So requests that wait are admitted in their order, each at a time of its own, however often they ask.
 *
 * The circuit is a hash: `row`, `since`, `requests`, `failures` while it is closed; `opened`, `until`, `probes`,
 * `probesUntil` while it is open. `opened` identifies an opening: a report of a probe of an earlier one is ignored.
 */

/** A rate: a request per `intervalMs`, and up to `burst` at once. */
export interface TrafficRate {
  readonly intervalMs: number;
  readonly burst: number;
  /** A request that would wait longer gets no place. */
  readonly maxWaitMs: number;
}

/** When a circuit opens: after `failuresInRow`, or when `failurePercent` of a window failed. 0 is never. */
export interface TrafficCircuit {
  readonly failuresInRow: number;
  readonly failurePercent: number;
  readonly windowMs: number;
  readonly minRequests: number;
  readonly openMs: number;
  readonly probes: number;
}

/** A request, by the credential and the host of its limits. */
export interface TrafficQuery {
  readonly credentialId: string;
  readonly host: string;
  readonly ticket: string;
  readonly rate: TrafficRate | undefined;
  readonly circuit: TrafficCircuit | undefined;
}

/**
 * Whether a request may be sent. `waiting`: it has a place in `waitMs`. `limited`: it would have one in `waitMs`, which
 * is too long. `open`: the circuit is open, for another `waitMs`. `probe`: for the report; '' for no probe.
 */
export type TrafficVerdict =
  | { readonly kind: 'admitted'; readonly waitedMs: number; readonly probe: string }
  | { readonly kind: 'waiting' | 'limited' | 'open'; readonly waitMs: number };

/** How long a probe has to report, before another one takes its place, in ms. */
const PROBE_MS = 60_000;
/**
 * How late a request may come to its place, in ms. Later ones get a new place: else all that waited while no worker ran
 * would be sent at once.
 */
const MAX_LATE_MS = 10_000;
/** How long a place is remembered after its time, in ms, so that a late request tells since when it waits. */
const TICKET_MS = 600_000;
/** How early a request may be, in ms: a timer is not exact. */
const SLACK_MS = 2;
/** How long a circuit is remembered without requests, in addition to its times, in ms. */
const CIRCUIT_KEPT_MS = 600_000;

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/*
 * KEYS[1] the rate  KEYS[2] the circuit  KEYS[3] the ticket
 * ARGV[1] interval, 0 for no rate  ARGV[2] burst  ARGV[3] longest wait  ARGV[4] probes, 0 for no circuit
 * ARGV[5] time of a probe  ARGV[6] time that a place is kept  ARGV[7] slack  ARGV[8] how late a request may be
 * The circuit is asked first: what it refuses takes no place of the rate. If the interval was changed, earlier places
 * are void. Returns { verdict, ms, probe }.
 */
const ADMIT = `${NOW}
local probes = tonumber(ARGV[4])
local opened = probes > 0 and redis.call('HGET', KEYS[2], 'opened')
local running = 0
if opened then
  local untilTime = tonumber(redis.call('HGET', KEYS[2], 'until'))
  if untilTime > now then return { 'open', untilTime - now, '' } end
  running = tonumber(redis.call('HGET', KEYS[2], 'probes'))
  local lease = tonumber(redis.call('HGET', KEYS[2], 'probesUntil'))
  if lease <= now then running = 0 end
  if running >= probes then return { 'open', math.min(lease - now, 1000), '' } end
end
local waited = 0
local interval = tonumber(ARGV[1])
if interval > 0 then
  local at, since, of = string.match(redis.call('GET', KEYS[3]) or '', '^(%d+) (%d+) (%S+)$')
  local holds = at and of == ARGV[1] and tonumber(at) + ARGV[8] >= now
  if holds and tonumber(at) > now + ARGV[7] then return { 'waiting', tonumber(at) - now, '' } end
  if not holds then
    local known, ofArrival = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%S+)$')
    local arrival = ofArrival == ARGV[1] and math.max(tonumber(known), now) or now
    local wait = math.ceil(arrival - interval * (ARGV[2] - 1) - now)
    if wait > tonumber(ARGV[3]) then return { 'limited', wait, '' } end
    local ttl = math.ceil(arrival + interval - now)
    redis.call('SET', KEYS[1], string.format('%.3f ', arrival + interval) .. ARGV[1], 'PX', ttl)
    if wait > 0 then
      redis.call('SET', KEYS[3], string.format('%.0f %.0f ', now + wait, since or now) .. ARGV[1], 'PX', wait + ARGV[6])
      return { 'waiting', wait, '' }
    end
  end
  redis.call('DEL', KEYS[3])
  waited = now - (since or now)
end
if opened then
  redis.call('HSET', KEYS[2], 'probes', running + 1, 'probesUntil', now + ARGV[5])
  return { 'admitted', waited, opened }
end
return { 'admitted', waited, '' }`;

/*
 * KEYS[1] the circuit  ARGV[1] outcome  ARGV[2] probe, '' for none  ARGV[3] failures in a row  ARGV[4] percent
 * ARGV[5] window  ARGV[6] fewest requests  ARGV[7] time that it stays open  ARGV[8] time that it is remembered
 */
const REPORT = `${NOW}
local function open()
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'opened', string.format('%.0f-%s', now, time[2]), 'until', now + ARGV[7], 'probes', 0, 'probesUntil', 0)
  redis.call('PEXPIRE', KEYS[1], ARGV[7] + ARGV[8])
end
local opened = redis.call('HGET', KEYS[1], 'opened') or ''
if opened ~= ARGV[2] then return 'ignored' end
if opened ~= '' then
  if ARGV[1] == 'success' then redis.call('DEL', KEYS[1])
  elseif ARGV[1] == 'failure' then open()
  elseif tonumber(redis.call('HGET', KEYS[1], 'probes')) > 0 then redis.call('HINCRBY', KEYS[1], 'probes', -1) end
  return 'probed'
end
if ARGV[1] == 'unknown' then return 'ignored' end
local since = tonumber(redis.call('HGET', KEYS[1], 'since') or 0)
if since + ARGV[5] <= now then redis.call('HSET', KEYS[1], 'since', now, 'requests', 0, 'failures', 0) end
local requests = redis.call('HINCRBY', KEYS[1], 'requests', 1)
redis.call('PEXPIRE', KEYS[1], ARGV[5] + ARGV[8])
if ARGV[1] == 'success' then
  redis.call('HSET', KEYS[1], 'row', 0)
  return 'counted'
end
local failures = redis.call('HINCRBY', KEYS[1], 'failures', 1)
local row = redis.call('HINCRBY', KEYS[1], 'row', 1)
local inRow, percent = tonumber(ARGV[3]), tonumber(ARGV[4])
local isShare = percent > 0 and requests >= tonumber(ARGV[6]) and failures * 100 >= percent * requests
if (inRow > 0 and row >= inRow) or isShare then open() end
return 'counted'`;

/** Asks whether a request may be sent now. @throws the error of Redis. */
export async function admitRequest(redis: Redis, query: TrafficQuery): Promise<TrafficVerdict> {
  const { credentialId, host, ticket, rate, circuit } = query;
  const keys = trafficKeys(credentialId, host, ticket);
  const { intervalMs = 0, burst = 1, maxWaitMs = 0 } = rate ?? {};
  const limits = [intervalMs, burst, maxWaitMs, circuit?.probes ?? 0, PROBE_MS, TICKET_MS, SLACK_MS, MAX_LATE_MS];
  const answer: unknown = await redis.eval(ADMIT, keys.length, ...keys, ...limits);
  const [kind, ms, probe]: readonly unknown[] = isList(answer) ? answer : [];
  if (kind === 'admitted') return { kind, waitedMs: Number(ms), probe: String(probe) };
  if (kind === 'waiting' || kind === 'limited' || kind === 'open') return { kind, waitMs: Number(ms) };
  throw new Error(`an unknown verdict on a request: ${String(kind)}`);
}

/** Reports what became of a request under a circuit. @throws the error of Redis. */
export async function reportRequest(
  redis: Redis,
  { credentialId, host, ticket }: TrafficQuery,
  circuit: TrafficCircuit,
  { outcome, probe }: { readonly outcome: 'success' | 'failure' | 'unknown'; readonly probe: string },
): Promise<void> {
  const [, key] = trafficKeys(credentialId, host, ticket);
  const { failuresInRow, failurePercent, windowMs, minRequests, openMs } = circuit;
  const limits = [failuresInRow, failurePercent, windowMs, minRequests, openMs, CIRCUIT_KEPT_MS];
  await redis.eval(REPORT, 1, key, outcome, probe, ...limits);
}

/** `Array.isArray` alone makes the elements `any`. */
function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

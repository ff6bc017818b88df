import { parseOwnJson } from '@deckhand/contracts';
import type { Redis } from './connect-target.js';
import { HEARTBEAT_LIFETIME_MS, STALLED_IN_REDIS, type WorkerDescription, type WorkerState } from './heartbeat.js';
import { HEARTBEATS_KEY, WORKERS_KEY, WRITE_PROBE_KEY } from './names.js';

/** A worker and the age of its heartbeat. */
export interface FleetEntry extends WorkerDescription {
  /** ISO 8601, by Redis's clock. */
  readonly lastSeenAt: string;
  /** How old its heartbeat was when it was read, in ms. */
  readonly silentForMs: number;
  /** False once its heartbeat is older than its lifetime. */
  readonly isLive: boolean;
}

/** What heartbeats of earlier versions do not say. */
const UNSAID = { blockedMs: 0, occupiedBy: null, isStandby: false };

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

/** Reads every worker with a recent heartbeat, including dead ones. @throws the error of Redis. */
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
    entries.push({
      ...readDescription(String(answer[i + 2])),
      lastSeenAt: new Date(seenAt).toISOString(),
      silentForMs: now - seenAt,
      isLive: now - seenAt <= HEARTBEAT_LIFETIME_MS,
    });
  }
  return entries;
}

/** Reads what `writeHeartbeat` wrote, or the heartbeat of an earlier version. */
function readDescription(json: string): WorkerDescription {
  const description = parseOwnJson<
    Omit<WorkerDescription, 'state'> & { readonly state: WorkerState | typeof STALLED_IN_REDIS }
  >(json);
  const state = description.state === STALLED_IN_REDIS ? 'stalled' : description.state;
  return { ...UNSAID, ...description, state };
}

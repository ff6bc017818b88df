import { parseOwnJson } from '@deckhand/contracts';
import type { ChainableCommander } from 'ioredis';
import type { Redis } from './connect-target.ts';
import {
  HEARTBEAT_INTERVAL_MS,
  lifetimeOf,
  STALLED_IN_REDIS,
  type WorkerDescription,
  type WorkerState,
} from './heartbeat.ts';
import { HEARTBEATS_KEY, WORKERS_KEY, WRITE_PROBE_KEY } from './names.ts';

/** A worker and the age of its heartbeat. */
export interface FleetEntry extends WorkerDescription {
  /** ISO 8601, by Redis's clock. */
  readonly lastSeenAt: string;
  /** How old its heartbeat was when it was read, in ms. */
  readonly silentForMs: number;
  /** How long its heartbeat is valid, in ms. */
  readonly lifetimeMs: number;
  /** False once its heartbeat is older than its lifetime. */
  readonly isLive: boolean;
}

/** What heartbeats of earlier versions do not say. */
const UNSAID = { blockedMs: 0, occupiedBy: null, isStandby: false, intervalMs: HEARTBEAT_INTERVAL_MS };

/** Reads every worker with a recent heartbeat, including dead ones. @throws the error of Redis. */
export function readFleet(redis: Redis): Promise<FleetEntry[]> {
  // No transaction: Redis accepts none while it has no memory left.
  return read(redis.pipeline());
}

/**
 * Reads the fleet at a moment at which heartbeats can be written, so that a heartbeat which did not change says
 * something of its worker.
 * @throws when Redis takes no writes (no memory left, no replica, a failed snapshot) or is away: then nobody's silence
 * means anything.
 */
export function readWritableFleet(redis: Redis): Promise<FleetEntry[]> {
  // In the same transaction, before anything is read. If it is refused, nothing is read.
  return read(redis.multi().set(WRITE_PROBE_KEY, '1', 'EX', 60));
}

/** Reads the fleet. Not by a script, which takes Redis twice as long for a thousand workers. */
async function read(commands: ChainableCommander): Promise<FleetEntry[]> {
  const replies = await commands.time().zrange(HEARTBEATS_KEY, '0', '-1', 'WITHSCORES').hgetall(WORKERS_KEY).exec();
  const [time, beats, workers] = (replies ?? [])
    .map(([error, reply]) => {
      if (error) throw error;
      return reply;
    })
    .slice(-3);
  if (!Array.isArray(time) || !Array.isArray(beats) || typeof workers !== 'object' || workers === null) {
    throw new Error('Redis did not return the fleet');
  }
  const now = Number(time[0]) * 1_000 + Math.floor(Number(time[1]) / 1_000);
  const descriptions = new Map<string, unknown>(Object.entries(workers));
  const entries: FleetEntry[] = [];
  for (let i = 0; i + 1 < beats.length; i += 2) {
    const json = descriptions.get(String(beats[i]));
    const seenAt = Number(beats[i + 1]);
    if (typeof json !== 'string') continue;
    const { intervalMs, ...description } = readDescription(json);
    const lifetimeMs = lifetimeOf(intervalMs);
    entries.push({
      ...description,
      lastSeenAt: new Date(seenAt).toISOString(),
      silentForMs: now - seenAt,
      lifetimeMs,
      isLive: now - seenAt <= lifetimeMs,
    });
  }
  return entries;
}

/** Reads what `writeHeartbeat` wrote, or the heartbeat of an earlier version. */
function readDescription(json: string): WorkerDescription & { readonly intervalMs: number } {
  const description = parseOwnJson<
    Omit<WorkerDescription, 'state'> & {
      readonly state: WorkerState | typeof STALLED_IN_REDIS;
      readonly intervalMs?: number;
    }
  >(json);
  const state = description.state === STALLED_IN_REDIS ? 'stalled' : description.state;
  return { ...UNSAID, ...description, state };
}

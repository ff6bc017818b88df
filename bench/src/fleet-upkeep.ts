import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readFleet, connectRedis, type Redis } from '@deckhand/queue';
import { cpuSeconds } from './cpu.ts';
import type { Stack } from './stack.ts';

/** Simulated workers: processes, and workers in each. */
const FLEETS = [
  { processes: 5, workers: 50 },
  { processes: 20, workers: 50 },
] as const;
/** How long the fleet is idle until it is measured, and how long it is measured, in ms. */
const SETTLE_MS = 40_000;
const MEASURE_MS = 60_000;

/** What the upkeep of an idle fleet costs, in parts of a core. */
export interface UpkeepRow {
  readonly workers: number;
  readonly redis: number;
  readonly postgres: number;
  /** Workers that the fleet shows as live in the end. */
  readonly live: number;
  /** Commands that Redis executed per second, by name; those of scripts too. */
  readonly commands: ReadonlyMap<string, number>;
}

/** Measures what idle workers cost Redis and PostgreSQL: heartbeats, leases, polls, comparisons. */
export async function fleetUpkeep(stack: Stack): Promise<UpkeepRow[]> {
  const rows: UpkeepRow[] = [];
  const processes: ReturnType<typeof spawn>[] = [];
  const redis = connectRedis(stack.redis.url, { role: 'producer' });
  try {
    for (const fleet of FLEETS) {
      while (processes.length < fleet.processes) processes.push(startSimulation(stack, fleet.workers));
      await sleep(SETTLE_MS);
      const pids = { redis: [stack.redis.process.pid], postgres: [stack.postgres.process.pid] };
      const before = { redis: await cpuSeconds(pids.redis), postgres: await cpuSeconds(pids.postgres) };
      const callsBefore = await readCalls(redis);
      await sleep(MEASURE_MS);
      const calls = await readCalls(redis);
      rows.push({
        workers: fleet.processes * fleet.workers,
        redis: ((await cpuSeconds(pids.redis)) - before.redis) / (MEASURE_MS / 1_000),
        postgres: ((await cpuSeconds(pids.postgres)) - before.postgres) / (MEASURE_MS / 1_000),
        live: (await readFleet(redis)).filter(({ isLive }) => isLive).length,
        commands: new Map(
          [...calls]
            .map(([name, count]) => [name, (count - (callsBefore.get(name) ?? 0)) / (MEASURE_MS / 1_000)] as const)
            .filter(([, perSecond]) => perSecond >= 1)
            .sort(([, a], [, b]) => b - a),
        ),
      });
    }
    return rows;
  } finally {
    redis.disconnect();
    const ended = processes.map((process) => once(process, 'exit'));
    for (const process of processes) process.kill('SIGKILL');
    await Promise.all(ended);
  }
}

/** Returns how often Redis has executed each command. */
async function readCalls(redis: Redis): Promise<Map<string, number>> {
  const lines = (await redis.info('commandstats')).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm);
  return new Map([...lines].map(([, name = '', calls]) => [name, Number(calls)]));
}

function startSimulation(stack: Stack, workers: number): ReturnType<typeof spawn> {
  const script = fileURLToPath(new URL('simulated-workers.ts', import.meta.url));
  return spawn(process.execPath, [script, stack.postgres.url, stack.redis.url, String(workers)], { stdio: 'inherit' });
}

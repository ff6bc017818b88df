import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { collectAtRest } from './collect-at-rest.ts';
import { createLogger } from './logger.ts';

const MEGABYTE = 2 ** 20;
const INTERVAL_MS = 100;
let log: string[] = [];
const logger = createLogger({ name: 'test', level: 'debug', destination: { write: (line) => void log.push(line) } });

/** Grows the heap by objects that nothing needs afterwards; resolves with its size then, in bytes. */
function grow(): number {
  const kept = Array.from({ length: 64 * 1_024 }, (_, n) => Array.from({ length: 128 }, () => n));
  expect(kept).toHaveLength(64 * 1_024);
  return process.memoryUsage().heapTotal;
}

let collector: ReturnType<typeof collectAtRest> | undefined;
afterEach(() => {
  collector?.stop();
  log = [];
});

/** Whether the heap gets smaller, while nothing else is done. */
async function shrunk(below: number, looks: number): Promise<boolean> {
  for (let look = 0; look < looks; look += 1) {
    await sleep(INTERVAL_MS);
    if (process.memoryUsage().heapTotal < below) return true;
  }
  return false;
}

describe('collectAtRest', () => {
  it('gives back what a load took, once it is over', async () => {
    collector = collectAtRest({ logger, intervalMs: INTERVAL_MS, workSoFar: () => 7 });
    expect(await shrunk(grow() - 32 * MEGABYTE, 100)).toBe(true);
  });

  it('gives back at once what something large took, and leaves what something small took', async () => {
    collector = collectAtRest({ logger, intervalMs: 3_600_000, workSoFar: () => 7 });
    const large = Array.from({ length: 4 }, grow).at(-1) ?? 0;
    collector.becameIdle();
    expect(await shrunk(large - 128 * MEGABYTE, 100)).toBe(true);
    expect(log).toHaveLength(1);
    collector.becameIdle();
    await sleep(INTERVAL_MS);
    expect(log).toHaveLength(1);
  });

  it('leaves a process alone that is at work', async () => {
    let work = 0;
    collector = collectAtRest({ logger, intervalMs: INTERVAL_MS, workSoFar: () => (work += 1) });
    grow();
    await sleep(10 * INTERVAL_MS);
    // V8 may have collected by itself.
    expect(log).toEqual([]);
  });
});

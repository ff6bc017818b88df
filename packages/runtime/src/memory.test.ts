import { describe, expect, it, afterEach } from '@jest/globals';
import { createMemoryBudget, collectAtRest } from './memory.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from './logger.ts';

describe('a memory budget', () => {
  it('counts what its accounts hold until they are closed', () => {
    const budget = createMemoryBudget(100);
    const [a, b] = [budget.open({}), budget.open({})];
    a.set(30);
    b.set(40);
    a.set(10);
    expect(budget.usedBytes()).toBe(50);
    b.close();
    b.close();
    expect(budget.usedBytes()).toBe(10);
  });

  it('closes the account that holds the most when it is exceeded, be it another', () => {
    const revoked: string[] = [];
    const budget = createMemoryBudget(100);
    const open = (name: string) => budget.open({ onRevoked: () => void revoked.push(name) });
    const [large, small] = [open('large'), open('small')];
    large.set(90);
    small.set(20);
    expect(revoked).toEqual(['large']);
    expect([large.isRevoked(), small.isRevoked(), budget.usedBytes()]).toEqual([true, false, 20]);
    // Its owner has not heard of it yet.
    large.set(95);
    large.close();
    expect(budget.usedBytes()).toBe(20);
    small.set(101);
    expect([revoked, budget.usedBytes()]).toEqual([['large', 'small'], 0]);
  });

  it('closes one of the group that holds the most, though another group has a larger one', () => {
    const revoked: string[] = [];
    const budget = createMemoryBudget(100);
    for (const [group, bytes] of [
      ['many', 30],
      ['many', 25],
      ['one', 40],
      ['many', 10],
    ] as const) {
      budget.open({ group, onRevoked: () => void revoked.push(`${group} ${bytes}`) }).set(bytes);
    }
    expect(revoked).toEqual(['many 30']);
  });

  it('lets those wait that can, until a quarter of it is free', async () => {
    const budget = createMemoryBudget(100);
    const account = budget.open({});
    account.set(76);
    let isRoom = false;
    const waited = budget.untilRoom().then(() => (isRoom = true));
    await Promise.resolve();
    expect([budget.isTight(), isRoom]).toEqual([true, false]);
    account.set(75);
    await waited;
    expect(budget.isTight()).toBe(false);
  });
});

const MEGABYTE = 2 ** 20;
const INTERVAL_MS = 100;
let log: string[] = [];
const logger = createLogger({ name: 'test', level: 'debug', destination: { write: (line) => void log.push(line) } });

/** Grows the heap by so many kilobytes that nothing needs afterwards; returns its size then, in bytes. */
function grow(kilobytes = 64 * 1_024): number {
  const kept = Array.from({ length: kilobytes }, (_, n) => Array.from({ length: 128 }, () => n));
  expect(kept).toHaveLength(kilobytes);
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
    const large = Array.from({ length: 4 }, () => grow()).at(-1) ?? 0;
    collector.becameIdle();
    expect(await shrunk(large - 128 * MEGABYTE, 100)).toBe(true);
    expect(log).toHaveLength(1);
    collector.becameIdle();
    await sleep(INTERVAL_MS);
    expect(log).toHaveLength(1);
  });

  it('collects once after a load, and not what an idle process allocates by itself', async () => {
    collector = collectAtRest({ logger, intervalMs: INTERVAL_MS, workSoFar: () => 7 });
    expect(await shrunk(grow() - 32 * MEGABYTE, 100)).toBe(true);
    while (log.length === 0) await sleep(INTERVAL_MS);
    grow(32 * 1_024);
    await sleep(10 * INTERVAL_MS);
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

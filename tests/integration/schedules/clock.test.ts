import type { Firing } from '@deckhand/worker';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  firedTimes,
  type Seed,
  seedSchedule,
  setStatus,
  startFiring,
  startStores,
  stopAll,
  type Stores,
  type TestClock,
} from '../../harness/index.ts';

let stores: Stores;
const clock: TestClock = { now: 0 };
let firings: Firing[];

beforeAll(async () => {
  stores = await startStores();
  // One has the lease, two fire whenever they are called: only the database prevents duplicate runs.
  firings = await Promise.all([true, false, false].map((isLeased) => startFiring(stores, { clock, isLeased })));
});
afterAll(stopAll);

const setClock = (time: string): void => {
  clock.now = Date.parse(time);
};
const fireAll = () => Promise.all(firings.map((firing) => firing.fire()));

/** Moves the clock: all fire together, shortly after each due time. */
async function passUntil(end: string): Promise<void> {
  for (let step = 0; ; step += 1) {
    const { _min } = await stores.db.schedule.aggregate({ _min: { nextFireAt: true } });
    const next = _min.nextFireAt?.getTime() ?? Infinity;
    if (next > Date.parse(end)) break;
    clock.now = next + ((step * 7_919) % 60_000);
    await fireAll();
  }
  setClock(end);
  await fireAll();
}

const times = (from: string, everyMs: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) =>
    new Date(Date.parse(from) + i * everyMs).toISOString().replace(':00.000Z', 'Z'),
  );

let seeds: Seed[];
beforeEach(() => {
  seeds = [];
});
afterEach(async () => {
  for (const seed of seeds) await setStatus(stores, clock, seed, 'inactive');
});

async function schedule(timezone: string, cron: string): Promise<Seed> {
  // No worker runs the started runs.
  const seed = await seedSchedule(stores, clock, { cron, timezone, maxOverlap: 1_000 });
  seeds.push(seed);
  return seed;
}

describe('three that fire the same schedules at the same time', () => {
  it('start one run for each time when the clocks go forward', async () => {
    setClock('2026-03-28T00:00Z');
    const skipped = await schedule('Europe/Berlin', '30 2 * * *');
    const behind = await schedule('Europe/Berlin', '0 3 * * *');
    const rhythm = await schedule('Europe/Berlin', '*/30 * * * *');
    await passUntil('2026-03-30T12:00Z');

    expect(await firedTimes(stores, skipped)).toEqual(['2026-03-28T01:30Z', '2026-03-29T01:30Z', '2026-03-30T00:30Z']);
    expect(await firedTimes(stores, behind)).toEqual(['2026-03-28T02:00Z', '2026-03-29T01:00Z', '2026-03-30T01:00Z']);
    expect(await firedTimes(stores, rhythm)).toEqual(times('2026-03-28T00:30Z', 1_800_000, 120));
  });

  it('start one run for a midnight that the clocks skip', async () => {
    setClock('2026-04-22T12:00Z');
    const midnight = await schedule('Africa/Cairo', '0 0 * * *');
    await passUntil('2026-04-25T12:00Z');
    expect(await firedTimes(stores, midnight)).toEqual(['2026-04-22T22:00Z', '2026-04-23T22:00Z', '2026-04-24T21:00Z']);
  });

  it('start one run for each time when the clocks go back', async () => {
    setClock('2026-10-24T00:00Z');
    const repeated = await schedule('Europe/Berlin', '30 2 * * *');
    const behind = await schedule('Europe/Berlin', '0 3 * * *');
    const rhythm = await schedule('Europe/Berlin', '0 * * * *');
    const second = await schedule('Europe/Berlin', '*/20 30 2 * * *');
    await passUntil('2026-10-26T12:00Z');

    expect(await firedTimes(stores, repeated)).toEqual(['2026-10-24T00:30Z', '2026-10-25T00:30Z', '2026-10-26T01:30Z']);
    expect(await firedTimes(stores, behind)).toEqual(['2026-10-24T01:00Z', '2026-10-25T02:00Z', '2026-10-26T02:00Z']);
    expect(await firedTimes(stores, rhythm)).toEqual(times('2026-10-24T01:00Z', 3_600_000, 60));
    expect(await firedTimes(stores, second)).toHaveLength(9);
  });

  it('start one run for each time of many schedules that are due at once', async () => {
    setClock('2026-05-04T08:59:00Z');
    const many: Seed[] = [];
    while (many.length < 40) many.push(await schedule('UTC', '0 9 * * *'));
    setClock('2026-05-04T09:00:00Z');
    await fireAll();
    for (const seed of many) expect(await firedTimes(stores, seed)).toEqual(['2026-05-04T09:00Z']);
    const states = await stores.db.schedule.findMany({
      where: { workflowId: { in: many.map((seed) => seed.workflowId) } },
    });
    for (const { lastFireAt, nextFireAt, lastExecutionId, workflowId } of states) {
      expect([lastFireAt, nextFireAt]).toEqual([new Date('2026-05-04T09:00Z'), new Date('2026-05-05T09:00Z')]);
      expect(await stores.db.execution.findFirst({ where: { workflowId } })).toMatchObject({
        id: lastExecutionId,
        status: 'pending',
        source: 'schedule',
        triggerNodeId: 'clock',
      });
    }
  });

  it('fire a time once though the clock is set back behind it', async () => {
    setClock('2026-05-04T10:00:00Z');
    const seed = await schedule('UTC', '5 10 * * *');
    setClock('2026-05-04T10:05:00Z');
    await fireAll();
    setClock('2026-05-04T10:04:00Z');
    await fireAll();
    // Activated again, it is due by that clock.
    await setStatus(stores, clock, seed, 'inactive');
    await setStatus(stores, clock, seed, 'active');
    setClock('2026-05-04T10:05:30Z');
    await fireAll();
    expect(await firedTimes(stores, seed)).toEqual(['2026-05-04T10:05Z']);
  });
});

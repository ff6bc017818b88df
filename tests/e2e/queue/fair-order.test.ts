import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  advanceVirtualTime,
  connectRedis,
  createRunQueue,
  openRunConsumer,
  QUEUE_PREFIX,
  type RunQueue,
  RUN_QUEUE,
  VIRTUAL_TIME_KEY,
} from '@deckhand/queue';
import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestRedis, stopAll, stopLater, until } from '../../harness/index.ts';

/** Number of runs queued together, in jobs of 16, so that the rounds of two such batches are four apart. */
const BATCH = 128;

afterAll(stopAll);

async function openQueue(url: string): Promise<RunQueue> {
  const redis = connectRedis(url, { role: 'producer' });
  await until(() => redis.status === 'ready');
  const queue = createRunQueue(redis);
  stopLater({
    stop: async () => {
      await queue.close();
      redis.disconnect();
    },
  });
  return queue;
}

/** Takes the next job each time it is called; resolves with its runs. */
async function openTaker(url: string, queue: RunQueue): Promise<() => Promise<string[]>> {
  const consumer = await openRunConsumer({ redisUrl: url, workerId: 'test', queue, onError: () => undefined });
  stopLater({ stop: () => consumer.close() });
  return async () => {
    const job = await until(() => consumer.take(), 'a job');
    await job.complete();
    return (job.runs ?? []).map(({ executionId }) => executionId);
  };
}

describe('the fair order of jobs', () => {
  it.each([1, 2])(
    'keep the runs of a workspace nearly in order, queued by %d, also once nothing waited',
    async (queuing) => {
      const { url } = await startTestRedis();
      const queues = await Promise.all(Array.from({ length: queuing }, () => openQueue(url)));
      const [first] = queues;
      if (!first) throw new Error('there is no queue');
      const take = await openTaker(url, first);
      const workspaceId = randomUUID();
      const queuedAt = new Map<string, number>();
      const overtaken: number[] = [];
      let taken = 0;
      const takeOne = async () => {
        const runs = await take();
        for (const run of runs) overtaken.push(taken - (queuedAt.get(run) ?? 0));
        taken += runs.length;
        return runs.length;
      };
      // Both queue alternately. The number of waiting jobs rises and falls, sometimes to zero.
      for (let round = 0; round < 80; round += 1) {
        const runs = Array.from({ length: BATCH }, () => ({ workspaceId, executionId: randomUUID(), dispatch: 1 }));
        for (const { executionId } of runs) queuedAt.set(executionId, queuedAt.size);
        await queues[round % queuing]?.add(runs);
        const leave = round % 20 === 0 ? 0 : 2 * BATCH;
        while (queuedAt.size - taken > leave) await takeOne();
        await sleep(20);
      }
      while (taken < queuedAt.size) await takeOne();
      expect(overtaken).toHaveLength(queuedAt.size);
      expect(Math.max(...overtaken)).toBeLessThanOrEqual(4 * BATCH);
    },
  );

  it('take runs of a higher priority first, and those of the lowest after a bounded number of them', async () => {
    const { url } = await startTestRedis();
    const queue = await openQueue(url);
    const take = await openTaker(url, queue);
    const workspaceId = randomUUID();
    const add = async (count: number, priority?: number): Promise<string[]> => {
      const runs = Array.from({ length: count }, () => ({
        workspaceId,
        executionId: randomUUID(),
        dispatch: 1,
        priority,
      }));
      await queue.add(runs);
      return runs.map(({ executionId }) => executionId);
    };
    const [low] = await add(1, -2);
    const normal = await add(40);
    let taken = 0;
    let sawNormal = 0;
    for (let isLowTaken = false; !isLowTaken;) {
      // As many as are taken, so that the queue never gets shorter.
      const urgent = new Set(await add(16, 1));
      for (let ofRound = 0; ofRound < 16;) {
        const runs = await take();
        ofRound += runs.length;
        if (taken === 0) expect(runs.every((run) => urgent.has(run))).toBe(true);
        sawNormal += runs.filter((run) => normal.includes(run)).length;
        if (low !== undefined && runs.includes(low)) isLowTaken = true;
      }
      taken += 16;
      expect(taken).toBeLessThan(4_000);
    }
    expect(sawNormal).toBe(40);
  });

  it('begin anew at priority 1 once time has come far and nothing waits, not while something does', async () => {
    const { url } = await startTestRedis();
    const redis = connectRedis(url, { role: 'producer' });
    await until(() => redis.status === 'ready');
    const jobs = `${QUEUE_PREFIX}:${RUN_QUEUE}:prioritized`;
    const far = 1_500_000;
    await redis.hset(VIRTUAL_TIME_KEY, 'served', far);
    await redis.zadd(jobs, 1_600_000 * 2 ** 32, 'waits');
    expect(await advanceVirtualTime(redis, 0)).toEqual({ served: 1_599_999, base: 0, waiting: 1 });
    await redis.del(jobs);
    expect(await advanceVirtualTime(redis, 1_700_000)).toEqual({ served: 1_700_000, base: 1_699_998, waiting: 0 });
    await redis.zadd(jobs, 5 * 2 ** 32, 'waits');
    expect(await advanceVirtualTime(redis, 1_700_009)).toEqual({ served: 1_700_002, base: 1_699_998, waiting: 1 });
    await redis.quit();
  });
});

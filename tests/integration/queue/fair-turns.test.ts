import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  connectRedis,
  createRunQueue,
  QUEUE_PREFIX,
  QUEUE_TIME_KEY,
  readQueueTime,
  type RunJobData,
  type RunQueue,
  RUN_QUEUE,
} from '@deckhand/queue';
import { afterAll, describe, expect, it } from '@jest/globals';
import { type Job, Worker } from 'bullmq';
import { startTestRedis, stopAll, stopLater, until } from '../../harness/index.js';

/** Runs queued at once: as jobs of 16, so that the turns of two such batches are four apart. */
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

/** Takes jobs by hand, the next in line each time; resolves with the runs of each. */
async function openConsumer(url: string) {
  const connection = connectRedis(url, { role: 'blocking' });
  const worker = new Worker<RunJobData>(RUN_QUEUE, null, { connection, prefix: QUEUE_PREFIX, drainDelay: 0.01 });
  await worker.waitUntilReady();
  stopLater({
    stop: async () => {
      await worker.close();
      connection.disconnect();
    },
  });
  const next = (): Promise<Job<RunJobData> | undefined> => worker.getNextJob('test', { block: false });
  return async (): Promise<string[]> => {
    const job = await next();
    await job?.moveToCompleted(null, 'test', false);
    return job?.data.version === 2 ? job.data.runs.map(({ executionId }) => executionId) : [];
  };
}

describe('the turns of jobs', () => {
  it.each([1, 2])(
    'keep the runs of a workspace nearly in order, queued by %d, also once nothing waited',
    async (queuing) => {
      const { url } = await startTestRedis();
      const queues = await Promise.all(Array.from({ length: queuing }, () => openQueue(url)));
      const take = await openConsumer(url);
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
      // Both queue in turns; what waits goes up and down, and now and then nothing does.
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

  it('begin anew at priority 1 once time has come far and nothing waits, not while something does', async () => {
    const { url } = await startTestRedis();
    const redis = connectRedis(url, { role: 'producer' });
    await until(() => redis.status === 'ready');
    const jobs = `${QUEUE_PREFIX}:${RUN_QUEUE}:prioritized`;
    const far = 1_500_000;
    await redis.hset(QUEUE_TIME_KEY, 'served', far);
    await redis.zadd(jobs, 1_600_000 * 2 ** 32, 'waits');
    expect(await readQueueTime(redis, jobs, 0)).toEqual({ served: 1_599_999, base: 0, waiting: 1 });
    await redis.del(jobs);
    expect(await readQueueTime(redis, jobs, 1_700_000)).toEqual({ served: 1_700_000, base: 1_700_000, waiting: 0 });
    await redis.zadd(jobs, 3 * 2 ** 32, 'waits');
    expect(await readQueueTime(redis, jobs, 1_700_009)).toEqual({ served: 1_700_002, base: 1_700_000, waiting: 1 });
    await redis.quit();
  });
});

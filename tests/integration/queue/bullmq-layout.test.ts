import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import {
  connectRedis,
  createRunQueue,
  openRunConsumer,
  QUEUE_PREFIX,
  type Redis,
  type RunQueue,
  RUN_QUEUE,
} from '@deckhand/queue';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Job, Queue, Worker } from 'bullmq';
import { startTestRedis, stopAll, stopLater, until } from '../../harness/index.ts';

/*
 * What packages/queue/src/bullmq/bullmq-layout.ts assumes of how BullMQ stores its queue. When an update of BullMQ
 * fails here, change that file, check the Helm chart's scaler, and mind that two versions share one Redis during an
 * upgrade.
 */

/** The version for which these assumptions were checked, by this file and by reading its scripts. */
const CHECKED_VERSION = '6.7.0';

let url: string;
let redis: Redis;
let queue: RunQueue;
const key = (name: string): string => `${QUEUE_PREFIX}:${RUN_QUEUE}:${name}`;

beforeAll(async () => {
  ({ url } = await startTestRedis());
  redis = connectRedis(url, { role: 'producer' });
  await until(() => redis.status === 'ready');
  queue = createRunQueue(redis);
  stopLater({
    async stop() {
      await queue.close();
      redis.disconnect();
    },
  });
});
afterAll(stopAll);

async function addRun(): Promise<{ executionId: string; jobId: string }> {
  const executionId = randomUUID();
  await queue.add([{ workspaceId: 'w', executionId, dispatch: 1 }]);
  return { executionId, jobId: `${executionId}-1` };
}

describe('the storage layout of BullMQ', () => {
  it('was checked for the version that is installed', () => {
    const { version } = createRequire(import.meta.url)('bullmq/package.json') as { version: string };
    expect(version).toBe(CHECKED_VERSION);
  });

  it('has no keys but those that are known', async () => {
    await redis.flushall();
    const { jobId } = await addRun();
    const allowed = ['events', 'id', 'marker', 'meta', 'pc', 'prioritized', jobId].map(key);
    const keys = (await redis.keys(key('*'))).filter((name) => !allowed.includes(name));
    expect(keys).toEqual([]);
    expect(await redis.type(key('prioritized'))).toBe('zset');
    expect(await redis.type(key(jobId))).toBe('hash');
  });

  it('scores prioritized jobs by priority × 2³² and a counter', async () => {
    await redis.flushall();
    const raw = new Queue(RUN_QUEUE, { connection: redis, prefix: QUEUE_PREFIX });
    for (const priority of [1, 5, 2_097_151]) {
      await raw.add('run', {}, { jobId: `job-${priority}`, priority });
      const score = Number(await redis.zscore(key('prioritized'), `job-${priority}`));
      expect(Math.floor(score / 2 ** 32)).toBe(priority);
    }
    await expect(raw.add('run', {}, { priority: 2_097_152 })).rejects.toThrow();
    expect(await redis.zrange(key('prioritized'), '0', '0')).toEqual(['job-1']);
    await raw.close();
  });

  it('has the fields and the lock by which the state of a job is known', async () => {
    await redis.flushall();
    const { executionId, jobId } = await addRun();
    const fields = () => redis.hmget(key(jobId), 'timestamp', 'processedOn', 'pb');
    const digits = expect.stringMatching(/^\d+$/);
    expect(await fields()).toEqual([digits, null, null]);

    const consumer = await openRunConsumer({ redisUrl: url, workerId: 'me', queue, onError: () => undefined });
    const job = await until(() => consumer.take());
    expect(await fields()).toEqual([digits, digits, 'me']);
    expect(await redis.zscore(key('prioritized'), jobId)).toBeNull();
    const lockMs = await redis.pttl(key(`${jobId}:lock`));
    expect(lockMs).toBeGreaterThan(0);
    expect(lockMs).toBeLessThanOrEqual(30_000);
    // It does not depend on the clock of the host that took the job.
    await redis.hset(key(jobId), 'processedOn', Date.now() - 86_400_000);
    const [state] = await queue.jobStates([{ executionId, dispatch: 1 }]);
    expect(state).toEqual({ kind: 'taken', forMs: expect.any(Number), workerId: 'me' });
    expect(state?.kind === 'taken' && state.forMs < 30_000).toBe(true);

    await job.giveBack();
    expect(await redis.exists(key(`${jobId}:lock`))).toBe(0);
    expect(await fields()).toEqual([digits, digits, 'me']);
    expect(await redis.zscore(key('prioritized'), jobId)).not.toBeNull();

    await (await until(() => consumer.take())).complete();
    expect(await redis.exists(key(jobId), key(`${jobId}:lock`))).toBe(0);
    await consumer.close();
  });

  it('comes with the methods for fetching jobs manually', () => {
    for (const method of ['getNextJob', 'startStalledCheckTimer', 'waitUntilReady', 'close'] as const) {
      expect(typeof Worker.prototype[method]).toBe('function');
    }
    for (const method of ['moveToCompleted', 'moveToWait'] as const)
      expect(typeof Job.prototype[method]).toBe('function');
  });
});

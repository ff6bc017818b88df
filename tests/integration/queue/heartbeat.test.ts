import { writeHeartbeat, leaveFleet } from '@deckhand/queue/heartbeat';
import {
  connectRedis,
  HEARTBEATS_KEY,
  readFleet,
  type Redis,
  type WorkerDescription,
  WORKERS_KEY,
} from '@deckhand/queue';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestRedis, stopAll, stopLater, until } from '../../harness/index.js';

let redis: Redis;

beforeAll(async () => {
  const server = await startTestRedis();
  redis = connectRedis(server.url, { role: 'producer' });
  stopLater({ stop: async () => redis.disconnect() });
  await until(() => redis.status === 'ready');
});
afterAll(stopAll);

const BLOCKED: WorkerDescription = {
  id: 'a',
  host: 'here',
  pid: 1,
  version: 'test',
  state: 'stalled',
  concurrency: 10,
  active: 3,
  startedAt: '2026-01-01T00:00:00.000Z',
  isStandby: true,
  blockedMs: 3_250,
  occupiedBy: 'run',
};

describe('a heartbeat', () => {
  it('says whether the event loop answers, and which run occupies it', async () => {
    await writeHeartbeat(redis, BLOCKED);
    expect(await readFleet(redis)).toEqual([expect.objectContaining({ ...BLOCKED, isLive: true })]);
  });

  it('is written in the words of earlier versions, which know no other state for it', async () => {
    await writeHeartbeat(redis, BLOCKED);
    expect(JSON.parse((await redis.hget(WORKERS_KEY, 'a')) ?? '')).toMatchObject({
      id: 'a',
      state: 'wedged',
      active: 3,
    });
  });

  it('of an earlier version is understood', async () => {
    const {
      isStandby: _isStandby,
      blockedMs: _blockedMs,
      occupiedBy: _occupiedBy,
      ...earlier
    } = { ...BLOCKED, state: 'wedged' };
    await redis.hset(WORKERS_KEY, 'a', JSON.stringify(earlier));
    await redis.zadd(HEARTBEATS_KEY, Date.now(), 'a');
    expect(await readFleet(redis)).toEqual([
      expect.objectContaining({ ...earlier, state: 'stalled', isStandby: false, blockedMs: 0, occupiedBy: null }),
    ]);
  });

  it('ends when the worker leaves', async () => {
    await writeHeartbeat(redis, BLOCKED);
    await leaveFleet(redis, 'a');
    expect(await readFleet(redis)).toEqual([]);
  });
});

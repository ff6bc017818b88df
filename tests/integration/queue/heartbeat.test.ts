import { writeHeartbeat, leaveFleet } from '@deckhand/queue/heartbeat';
import {
  claimDeputy,
  connectRedis,
  HEARTBEATS_KEY,
  MAINTENANCE_DEPUTIES_KEY,
  readFleet,
  readWritableFleet,
  requestDrain,
  type Redis,
  type WorkerDescription,
  WORKERS_KEY,
} from '@deckhand/queue';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestRedis, stopAll, stopLater, until } from '../../harness/index.ts';

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

  it('of a worker that stands by without runs is valid for longer, because they come more rarely', async () => {
    await writeHeartbeat(redis, { ...BLOCKED, state: 'consuming', active: 0 });
    await redis.zincrby(HEARTBEATS_KEY, -6_500, 'a');
    expect(await readFleet(redis)).toMatchObject([{ isLive: true, lifetimeMs: 7_000 }]);
    await redis.zincrby(HEARTBEATS_KEY, -1_000, 'a');
    expect(await readFleet(redis)).toMatchObject([{ isLive: false }]);
    await writeHeartbeat(redis, { ...BLOCKED, state: 'consuming', active: 1 });
    expect(await readFleet(redis)).toMatchObject([{ isLive: true, lifetimeMs: 3_000 }]);
  });

  it('returns whether the worker was asked to drain', async () => {
    expect(await writeHeartbeat(redis, BLOCKED)).toMatchObject({ isDrainRequested: false });
    await requestDrain(redis, 'b');
    expect(await writeHeartbeat(redis, BLOCKED)).toMatchObject({ isDrainRequested: false });
    await requestDrain(redis, 'a');
    expect(await writeHeartbeat(redis, BLOCKED)).toMatchObject({ isDrainRequested: true });
  });

  it('returns whether a deputy of the maintenance lease is missing', async () => {
    const become = (owner: string, durationMs = 60_000) =>
      claimDeputy(redis, MAINTENANCE_DEPUTIES_KEY, { owner, durationMs });
    expect(await writeHeartbeat(redis, BLOCKED)).toMatchObject({ isDeputyMissing: true });
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((owner) => become(owner)))).toEqual([true, true, true, false]);
    expect(await writeHeartbeat(redis, BLOCKED)).toMatchObject({ isDeputyMissing: false });
    await become('a', -1);
    expect(await writeHeartbeat(redis, BLOCKED)).toMatchObject({ isDeputyMissing: true });
  });

  it('is not read for liveness while Redis refuses writes', async () => {
    await writeHeartbeat(redis, BLOCKED);
    await redis.config('SET', 'min-replicas-to-write', 1);
    await expect(readWritableFleet(redis)).rejects.toThrow();
    expect(await readFleet(redis)).toHaveLength(1);
    await redis.config('SET', 'min-replicas-to-write', 0);
    expect(await readWritableFleet(redis)).toHaveLength(1);
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

import { randomUUID } from 'node:crypto';
import {
  connectRedis,
  createRunQueue,
  createWakeUps,
  openRunConsumer,
  type QueuedRun,
  type Redis,
  type RunJob,
  type RunQueue,
} from '@deckhand/queue';
import { createLogger } from '@deckhand/runtime';
import { type Consumption, consumeJobs, createStandby } from '@deckhand/worker';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestRedis, stopAll, until } from '../../harness/index.ts';

let server: Awaited<ReturnType<typeof startTestRedis>>;
let redis: Redis;
let queue: RunQueue;
let opened: Consumption[] = [];

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, { role: 'producer' });
  redis.on('error', () => undefined);
  await until(() => redis.status === 'ready');
  queue = createRunQueue(redis, { takingWorkers: () => 1 });
});
afterEach(async () => {
  await Promise.all(opened.map((consumption) => consumption.close()));
  opened = [];
  await redis.flushall();
});
afterAll(async () => {
  await queue.close();
  redis.disconnect();
  await stopAll();
});

function standbyOf(isFirst: boolean, isNear: boolean) {
  const wakeUps = createWakeUps(redis, { redisUrl: server.url, onError: () => undefined });
  return createStandby({ wakeUps, isFirst: () => isFirst, isNear: () => isNear, isBusy: () => false });
}

/** A worker whose claims are decided by the test. */
async function consume({
  places = 100,
  isFirst,
  isNear = true,
}: { places?: number; isFirst?: boolean; isNear?: boolean } = {}) {
  const started: string[] = [];
  const decisions = new Map<string, { claimed: () => void; fail: (error: Error) => void }>();
  const roomWaiters: (() => void)[] = [];
  const inUse = new Set<string>();
  const leave = (executionId: string): void => {
    inUse.delete(executionId);
    for (const resolve of roomWaiters.splice(0)) resolve();
  };
  const consumption = consumeJobs({
    consumer: await openRunConsumer({
      redisUrl: server.url,
      workerId: randomUUID(),
      queue,
      onError: () => undefined,
    }),
    ...(isFirst === undefined ? {} : { standby: standbyOf(isFirst, isNear) }),
    logger: createLogger({ name: 'worker', level: 'silent' }),
    room: () => places - inUse.size,
    untilRoom: () => new Promise((resolve) => roomWaiters.push(resolve)),
    start: ({ executionId }: RunJob) => {
      started.push(executionId);
      inUse.add(executionId);
      return new Promise((claimed, fail) => decisions.set(executionId, { claimed, fail }));
    },
  });
  opened.push(consumption);
  return { consumption, started, decisions, leave };
}

function runs(count: number): QueuedRun[] {
  return Array.from({ length: count }, () => ({ workspaceId: 'w', executionId: randomUUID(), dispatch: 1 }));
}
const idsOf = (of: readonly QueuedRun[]): string[] => of.map(({ executionId }) => executionId).sort();
const kindOf = async (run: QueuedRun | undefined): Promise<string | undefined> =>
  run && (await queue.jobStates([run]))[0]?.kind;

describe('a job', () => {
  it('is completed once each of its runs is claimed or cannot be claimed, and not before', async () => {
    const { started, decisions } = await consume();
    const six = runs(6);
    await queue.add(six);
    await until(() => started.length === 6);
    const [first] = six;
    const shared = six.slice(0, 3);
    for (const { executionId } of shared.slice(1)) decisions.get(executionId)?.claimed();
    // The other job was settled, so this one would have been, too.
    for (const { executionId } of six.slice(3)) decisions.get(executionId)?.claimed();
    await until(async () => (await kindOf(six[5])) === 'missing');
    expect(await kindOf(first)).toBe('taken');
    decisions.get(first?.executionId ?? '')?.claimed();
    await until(async () => (await kindOf(first)) === 'missing');
    expect(await queue.counts()).toEqual({ waiting: 0, active: 0, delayed: 0 });
  });

  it('is delivered again when it is not known whether a run was claimed', async () => {
    const { started, decisions } = await consume();
    const [run] = runs(1);
    if (!run) throw new Error('there is no run');
    await queue.add([run]);
    await until(() => started.length === 1);
    decisions.get(run.executionId)?.fail(new Error('the claim failed'));
    await until(() => started.length === 2, 'a second delivery');
    decisions.get(run.executionId)?.claimed();
    await until(async () => (await kindOf(run)) === 'missing');
  });

  it('is shared where there is no room for all of its runs, and none are taken until there is room', async () => {
    const small = await consume({ places: 2 });
    const all = runs(8);
    await queue.add(all);
    await until(() => small.started.length === 2 && small.consumption.state() === 'full');
    for (const { claimed } of small.decisions.values()) claimed();
    await until(async () => (await queue.counts()).active === 0);
    expect(small.started).toHaveLength(2);

    const [freed = ''] = small.started;
    small.leave(freed);
    await until(() => small.started.length === 3);
    const large = await consume();
    await until(() => small.started.length + large.started.length === 8);
    for (const { claimed } of [...small.decisions.values(), ...large.decisions.values()]) claimed();
    expect([...small.started, ...large.started].sort()).toEqual(idsOf(all));
    await until(async () => (await queue.counts()).waiting === 0);
  });
});

describe('consumption', () => {
  it('takes nothing while it is paused, and continues when it is resumed', async () => {
    const { consumption, started, decisions } = await consume();
    consumption.pause();
    await until(() => consumption.state() === 'paused', 'the end of a poll');
    const [run] = runs(1);
    if (!run) throw new Error('there is no run');
    await queue.add([run]);
    const other = await consume();
    await until(() => other.started.length === 1);
    expect(started).toEqual([]);
    other.decisions.get(run.executionId)?.claimed();
    await until(async () => (await kindOf(run)) === 'missing');

    other.consumption.pause();
    await until(() => other.consumption.state() === 'paused');
    consumption.resume();
    const [next] = runs(1);
    if (!next) throw new Error('there is no run');
    await queue.add([next]);
    await until(() => started.length === 1);
    decisions.get(next.executionId)?.claimed();
  });

  it('gives back a job that arrives after it was paused', async () => {
    const { consumption, started, decisions } = await consume();
    expect(consumption.state()).toBe('polling');
    consumption.pause();
    const [run] = runs(1);
    if (!run) throw new Error('there is no run');
    await queue.add([run]);
    await until(() => consumption.state() === 'paused');
    await until(async () => (await kindOf(run)) === 'waiting');
    expect(started).toEqual([]);
    consumption.resume();
    await until(() => started.length === 1);
    decisions.get(run.executionId)?.claimed();
    await until(async () => (await kindOf(run)) === 'missing');
  });

  it('closes after each run is claimed or refused, and leaves later jobs to others', async () => {
    const { consumption, started, decisions } = await consume();
    const [first, later] = [runs(1), runs(1)];
    await queue.add(first);
    await until(() => started.length === 1);
    let isClosed = false;
    const closed = consumption.close().then(() => (isClosed = true));
    await until(() => consumption.state() === 'stopped');
    await queue.add(later);
    expect(isClosed).toBe(false);
    decisions.get(first[0]?.executionId ?? '')?.claimed();
    await closed;
    expect(await kindOf(first[0])).toBe('missing');
    expect(await kindOf(later[0])).toBe('waiting');
    expect(started).toHaveLength(1);
  });

  it('tries again at a bounded rate while Redis refuses writes, and continues afterwards', async () => {
    const { consumption, started, decisions } = await consume();
    const commands = async (): Promise<number> =>
      Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))?.[1] ?? 0);
    await redis.config('SET', 'min-replicas-to-write', '1');
    await until(() => consumption.state() === 'retrying');
    const [from, since] = [await commands(), performance.now()];
    for (let check = 0; check < 8; check += 1) consumption.checkHealth();
    expect(consumption.isHealthy()).toBe(false);
    await until(() => performance.now() - since > 3_000);
    // Without a delay after each refusal there would be thousands.
    expect(await commands()).toBeLessThan(from + ((performance.now() - since) / 1_000) * 20);
    await redis.config('SET', 'min-replicas-to-write', '0');
    await until(() => consumption.isHealthy() && consumption.state() === 'polling');
    const [run] = runs(1);
    if (!run) throw new Error('there is no run');
    await queue.add([run]);
    await until(() => started.length === 1);
    decisions.get(run.executionId)?.claimed();
    await until(async () => (await kindOf(run)) === 'missing');
  });
});

describe('several workers', () => {
  /** A first worker and two that stand by. */
  async function startThree({ places = 100 } = {}) {
    const first = await consume({ places, isFirst: true });
    const others = [await consume({ isFirst: false }), await consume({ isFirst: false })];
    await until(() => others.every(({ consumption }) => consumption.state() === 'standby'), 'two that stand by');
    return { first, others, startedByOthers: () => others.flatMap(({ started }) => started) };
  }

  it('leave all jobs to the first while it has room, and report that they respond', async () => {
    const { first, others, startedByOthers } = await startThree();
    for (const run of runs(30)) await queue.add([run]);
    await until(() => first.started.length === 30);
    for (let check = 0; check < 4; check += 1) for (const { consumption } of others) consumption.checkHealth();
    expect(others.map(({ consumption }) => [consumption.state(), consumption.isHealthy()])).toEqual([
      ['standby', true],
      ['standby', true],
    ]);
    expect(startedByOthers()).toEqual([]);
    for (const { claimed } of first.decisions.values()) claimed();
  });

  it('are healthy and take jobs that nobody else takes, even if none watches over the first', async () => {
    const { consumption, started, decisions } = await consume({ isFirst: false, isNear: false });
    await until(() => consumption.state() === 'standby');
    for (let check = 0; check < 20; check += 1) consumption.checkHealth();
    expect(consumption.isHealthy()).toBe(true);
    // Longer than a connection may be silent.
    const since = performance.now();
    await until(() => performance.now() - since > 6_000);
    const [run] = runs(1);
    if (!run) throw new Error('there is no run');
    await queue.add([run]);
    await until(() => started.length === 1, 'the job');
    decisions.get(run.executionId)?.claimed();
  });

  it('take the jobs for which the first has no room', async () => {
    const { first, others, startedByOthers } = await startThree({ places: 2 });
    const all = runs(20);
    for (const run of all) await queue.add([run]);
    await until(() => first.started.length === 2 && startedByOthers().length === 18);
    expect([...first.started, ...startedByOthers()].sort()).toEqual(idsOf(all));
    for (const { decisions } of [first, ...others]) for (const { claimed } of decisions.values()) claimed();
  });

  it('take over at once when the first is closed, and soon when it takes nothing although it should', async () => {
    const { first, others, startedByOthers } = await startThree();
    const settle = (): void => {
      for (const { decisions } of others) for (const { claimed } of decisions.values()) claimed();
    };
    first.consumption.pause();
    await until(() => first.consumption.state() === 'paused');
    await queue.add(runs(1));
    await until(() => startedByOthers().length === 1, 'a job that nobody else takes');
    settle();
    await until(() => others.every(({ consumption }) => consumption.state() === 'standby'), 'standby');
    await first.consumption.close();
    await until(() => others.some(({ consumption }) => consumption.state() === 'polling'));
    await queue.add(runs(1));
    await until(() => startedByOthers().length === 2);
    settle();
  });
});

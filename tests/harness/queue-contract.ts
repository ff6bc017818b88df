import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  connectRedis,
  type QueuedRun,
  type Redis,
  type RunConsumer,
  type RunQueue,
  type TakenJob,
} from '@deckhand/queue';
import { afterEach, describe, expect, it } from '@jest/globals';
import { stopAll, stopLater } from './cleanup.ts';
import { startTestRedis } from './databases.ts';
import { until } from './until.ts';

/** How the contract opens an implementation of the queue of runs. */
export interface QueueImplementation {
  readonly name: string;
  /** Opens the producing side on a `producer` connection. */
  openQueue(redis: Redis): RunQueue;
  /** Opens the consuming side. A job of a dead consumer has to be delivered again within some seconds. */
  openConsumer(options: { redisUrl: string; workerId: string; queue: RunQueue }): Promise<RunConsumer>;
  /** Writes a job as a process of another version would: as JSON in the form of that version. */
  addRaw(redis: Redis, name: string, json: string): Promise<void>;
}

type Server = Awaited<ReturnType<typeof startTestRedis>>;

/** Makes a server refuse writes, by its own settings, and accept them again. */
interface Refusal {
  readonly code: string;
  /** Whether connections take it for a failover, and are replaced until they find a server that accepts writes. */
  readonly reconnects?: boolean;
  start(server: Server, admin: Redis): Promise<unknown>;
  end(admin: Redis): Promise<unknown>;
}

const REFUSALS: readonly Refusal[] = [
  {
    code: 'OOM',
    start: (_, admin) => admin.config('SET', 'maxmemory', '1'),
    end: (admin) => admin.config('SET', 'maxmemory', '0'),
  },
  {
    code: 'NOREPLICAS',
    start: (_, admin) => admin.config('SET', 'min-replicas-to-write', '1'),
    end: (admin) => admin.config('SET', 'min-replicas-to-write', '0'),
  },
  {
    code: 'MISCONF',
    async start(_, admin) {
      const [, dir = ''] = await readConfig(admin, 'dir');
      // A folder at the path of the snapshot makes the save fail.
      await mkdir(join(dir, 'dump.rdb'), { recursive: true });
      await admin.config('SET', 'save', '3600 1');
      await admin.bgsave();
      await until(async () => (await admin.info('persistence')).includes('rdb_last_bgsave_status:err'));
    },
    end: (admin) => admin.config('SET', 'save', ''),
  },
  {
    code: 'READONLY',
    reconnects: true,
    start: (_, admin) => admin.replicaof('127.0.0.1', 1),
    end: (admin) => admin.replicaof('NO', 'ONE'),
  },
];

async function readConfig(admin: Redis, name: string): Promise<string[]> {
  const response = await admin.config('GET', name);
  return Array.isArray(response) ? response.map(String) : [];
}

/** What every implementation of the queue of runs must do, against a real Redis. */
export function describeQueueContract(implementation: QueueImplementation): void {
  afterEach(stopAll);

  async function openRedis(url: string): Promise<Redis> {
    const redis = connectRedis(url, { role: 'producer' });
    // These tests are about refusals and outages: calls report them.
    redis.on('error', () => undefined);
    stopLater({
      stop: () => {
        redis.disconnect();
        return Promise.resolve();
      },
    });
    await until(() => redis.status === 'ready');
    return redis;
  }

  async function open() {
    const server = await startTestRedis();
    const redis = await openRedis(server.url);
    const queue = implementation.openQueue(redis);
    stopLater({ stop: () => queue.close() });
    const openConsumer = async (workerId: string = randomUUID()): Promise<RunConsumer> => {
      const consumer = await implementation.openConsumer({ redisUrl: server.url, workerId, queue });
      stopLater({ stop: () => consumer.close() });
      return consumer;
    };
    return { server, redis, queue, openConsumer };
  }

  const runsOf = (workspaceId: string, count: number, dispatch = 1): QueuedRun[] =>
    Array.from({ length: count }, () => ({ workspaceId, executionId: randomUUID(), dispatch }));
  const idsOf = (runs: readonly { executionId: string }[] | undefined): string[] =>
    (runs ?? []).map(({ executionId }) => executionId);

  /** Takes until there is a job, through whatever the queue throws meanwhile. */
  const takeOne = (consumer: RunConsumer): Promise<TakenJob> => until(() => consumer.take(), 'a job');

  async function takeRuns(consumer: RunConsumer, count: number): Promise<string[]> {
    const taken: string[] = [];
    while (taken.length < count) {
      const job = await takeOne(consumer);
      taken.push(...idsOf(job.runs));
      await job.complete();
    }
    return taken;
  }

  const kindsOf = async (queue: RunQueue, runs: readonly QueuedRun[]): Promise<string[]> => [
    ...new Set((await queue.jobStates(runs)).map(({ kind }) => kind)),
  ];

  describe(`${implementation.name}: jobs`, () => {
    it('share runs that are queued together, and say what became of each', async () => {
      const { queue, openConsumer } = await open();
      const runs = runsOf('w', 40);
      await queue.add(runs);
      const { waiting } = await queue.counts();
      expect(waiting).toBeLessThan(40);
      expect(await kindsOf(queue, runs)).toEqual(['waiting']);

      const consumer = await openConsumer('taker');
      const job = await takeOne(consumer);
      const taken = runs.filter(({ executionId }) => idsOf(job.runs).includes(executionId));
      expect(taken.length).toBeGreaterThan(1);
      for (const state of await queue.jobStates(taken)) {
        expect(state).toEqual({ kind: 'taken', forMs: expect.any(Number), workerId: 'taker' });
      }
      expect(await queue.counts()).toEqual({ waiting: waiting - 1, active: 1, delayed: 0 });

      await job.complete();
      expect(await kindsOf(queue, taken)).toEqual(['missing']);
      const rest = runs.length - taken.length;
      expect(new Set(await takeRuns(consumer, rest)).size).toBe(rest);
      expect(await queue.counts()).toEqual({ waiting: 0, active: 0, delayed: 0 });
      expect(await consumer.take()).toBeUndefined();
    });

    it('have the snapshots of their runs', async () => {
      const { queue, openConsumer } = await open();
      const [run] = runsOf('w', 1);
      if (!run) throw new Error('there is no run');
      const snapshot = {
        workspaceId: 'w',
        workflowId: 'f',
        workflowVersionId: 'v',
        executionMode: 'normal',
        triggerNodeId: 'start',
        triggerData: '{"n":1}',
        deadlineAt: 2,
        queuedAt: 1,
        traceParent: null,
      } as const;
      await queue.add([{ ...run, snapshot }]);
      const job = await takeOne(await openConsumer());
      expect(job.runs).toEqual([{ executionId: run.executionId, dispatch: 1, snapshot }]);
    });

    it('wait again when they are given back, or for the runs that were put back', async () => {
      const { queue, openConsumer } = await open();
      const [first, second] = [await openConsumer(), await openConsumer()];
      const runs = runsOf('w', 16);
      await queue.add(runs);
      const given = await takeOne(first);
      await given.giveBack();
      const states = await queue.jobStates(runs);
      expect(states.map(({ kind }) => kind)).toEqual(runs.map(() => 'waiting'));

      const kept = await takeOne(second);
      expect(kept.runs?.length).toBe(2);
      const [, back] = runs.filter(({ executionId }) => idsOf(kept.runs).includes(executionId));
      await kept.keepFirst(1);
      expect(await queue.jobStates(back ? [back] : [])).toEqual([{ kind: 'waiting' }]);
      await kept.complete();
      expect(await queue.jobStates(back ? [back] : [])).toEqual([{ kind: 'waiting' }]);
      const rest = await takeRuns(first, runs.length - 1);
      expect([...rest, ...idsOf(kept.runs?.slice(0, 1))].sort()).toEqual(idsOf(runs).sort());
    });

    it('queued twice come once while they wait', async () => {
      const { queue, openConsumer } = await open();
      const runs = runsOf('w', 3);
      await queue.add(runs);
      await queue.add(runs);
      const consumer = await openConsumer();
      expect((await takeRuns(consumer, 3)).sort()).toEqual(idsOf(runs).sort());
      expect(await consumer.take()).toBeUndefined();
    });

    it('of a consumer that died are delivered again', async () => {
      const { queue, openConsumer } = await open();
      const runs = runsOf('w', 2);
      await queue.add(runs);
      const dying = await openConsumer();
      await takeOne(dying);
      await takeOne(dying);
      await dying.close();
      expect(await kindsOf(queue, runs)).toEqual(['taken']);
      expect((await takeRuns(await openConsumer(), 2)).sort()).toEqual(idsOf(runs).sort());
    });

    it('that reach a consumer which has stopped meanwhile are given back', async () => {
      const { queue, openConsumer } = await open();
      const [stopping, other] = [await openConsumer(), await openConsumer()];
      const runs = runsOf('w', 1);
      await queue.add(runs);
      // Redis has not responded yet when the consumer stops.
      const taking = stopping.take();
      const stopped = stopping.stop();
      expect(await taking).toBeUndefined();
      await stopped;
      expect(await queue.jobStates(runs)).toEqual([{ kind: 'waiting' }]);
      expect(await takeRuns(other, 1)).toEqual(idsOf(runs));
    });

    it('are not handed out once the consumer stops, and those taken before can be completed', async () => {
      const { queue, openConsumer } = await open();
      const [stopping, other] = [await openConsumer(), await openConsumer()];
      const [before, after] = [runsOf('w', 1), runsOf('w', 1)];
      await queue.add(before);
      const job = await takeOne(stopping);
      const taking = stopping.take();
      const stopped = stopping.stop();
      await queue.add(after);
      expect(await taking).toBeUndefined();
      await stopped;
      expect(await stopping.take()).toBeUndefined();
      expect(await takeRuns(other, 1)).toEqual(idsOf(after));
      await job.complete();
      expect(await queue.jobStates(before)).toEqual([{ kind: 'missing' }]);
    });
  });

  describe(`${implementation.name}: the order of jobs`, () => {
    it('lets a workspace that queues much wait behind itself, not others or runs that had begun', async () => {
      const { queue, openConsumer } = await open();
      for (let n = 0; n < 5; n += 1) await queue.add(runsOf('busy', 200));
      const [idle] = runsOf('idle', 1);
      const [begun] = runsOf('busy', 1, 2);
      if (!idle || !begun) throw new Error('runs are missing');
      await queue.add([idle]);
      await queue.add([begun]);
      const order = await takeRuns(await openConsumer(), 1_002);
      // A round of 64, and the job that goes beyond it.
      for (const { executionId } of [idle, begun]) expect(order.indexOf(executionId)).toBeLessThanOrEqual(64 + 16);
    });
  });

  describe(`${implementation.name}: jobs of other versions`, () => {
    it('of earlier versions are read', async () => {
      const { redis, openConsumer } = await open();
      await implementation.addRaw(redis, 'one', '{"version":1,"executionId":"a","dispatch":2}');
      const version2 = '{"version":2,"runs":[{"executionId":"b","dispatch":1},{"executionId":"c","dispatch":3}]}';
      await implementation.addRaw(redis, 'two', version2);
      const consumer = await openConsumer();
      const jobs = [await takeOne(consumer), await takeOne(consumer)];
      expect(jobs.map(({ name, version, runs }) => ({ name, version, runs }))).toEqual([
        { name: 'one', version: 1, runs: [{ executionId: 'a', dispatch: 2 }] },
        {
          name: 'two',
          version: 2,
          runs: [
            { executionId: 'b', dispatch: 1 },
            { executionId: 'c', dispatch: 3 },
          ],
        },
      ]);
    });

    it('of a newer version are recognised, and given back as they are', async () => {
      const { redis, openConsumer } = await open();
      await implementation.addRaw(redis, 'newer', '{"version":3,"anything":"else"}');
      for (const consumer of [await openConsumer(), await openConsumer()]) {
        const { name, version, runs, giveBack } = await takeOne(consumer);
        expect({ name, version, runs }).toEqual({ name: 'newer', version: 3, runs: undefined });
        await giveBack();
      }
    });
  });

  describe(`${implementation.name}: Redis`, () => {
    it('may be emptied: jobs are missing then, and new ones are delivered', async () => {
      const { redis, queue, openConsumer } = await open();
      const consumer = await openConsumer();
      const [lost, next] = [runsOf('w', 20), runsOf('w', 1)];
      await queue.add(lost);
      const held = await takeOne(consumer);
      await redis.flushall();
      await redis.script('FLUSH');
      expect(await kindsOf(queue, lost)).toEqual(['missing']);
      await expect(held.complete()).rejects.toThrow();
      await queue.add(next);
      expect(await takeRuns(consumer, 1)).toEqual(idsOf(next));
    });

    it('may be restarted while a consumer waits', async () => {
      const { server, redis, queue, openConsumer } = await open();
      const consumer = await openConsumer();
      const taking = consumer.take().catch(() => undefined);
      await server.restart();
      await until(() => redis.status === 'ready');
      const runs = runsOf('w', 1);
      await queue.add(runs);
      const job = (await taking) ?? (await takeOne(consumer));
      expect(idsOf(job.runs)).toEqual(idsOf(runs));
      await job.complete();
    });

    it('may be down: producing fails at once, and both sides continue when it is back', async () => {
      const { server, redis, queue, openConsumer } = await open();
      const consumer = await openConsumer();
      await server.kill();
      await until(() => redis.status !== 'ready');
      const runs = runsOf('w', 1);
      await expect(queue.add(runs)).rejects.toThrow();
      await expect(queue.jobStates(runs)).rejects.toThrow();
      await server.restart();
      await until(() => redis.status === 'ready');
      await queue.add(runs);
      expect(await takeRuns(consumer, 1)).toEqual(idsOf(runs));
    });

    it('may stand still while a consumer waits', async () => {
      const { server, queue, redis, openConsumer } = await open();
      const consumer = await openConsumer();
      const taking = consumer.take().catch(() => undefined);
      const runs = runsOf('w', 1);
      process.kill(server.process.pid, 'SIGSTOP');
      try {
        await expect(queue.add(runs)).rejects.toThrow();
      } finally {
        process.kill(server.process.pid, 'SIGCONT');
      }
      await until(() => redis.ping());
      await queue.add(runs);
      const job = (await taking) ?? (await takeOne(consumer));
      expect(idsOf(job.runs)).toEqual(idsOf(runs));
    });
  });

  describe.each(REFUSALS)(`${implementation.name}: Redis that refuses writes with $code`, (refusal) => {
    it('is reported by both sides, costs no job, and needs no restart afterwards', async () => {
      const { server, queue, openConsumer } = await open();
      const admin = await openRedis(server.url);
      const [consumer, holding] = [await openConsumer(), await openConsumer()];
      const [held, waiting, refused] = [runsOf('w', 1), runsOf('w', 1), runsOf('w', 1)];
      await queue.add(held);
      const job = await takeOne(holding);
      await queue.add(waiting);
      const connections = async () => String(await admin.client('LIST')).split('\n').length;
      const connected = async () =>
        Number(/total_connections_received:(\d+)/.exec(await admin.info('stats'))?.[1] ?? 0);
      const before = await connections();

      await refusal.start(server, admin);
      const errors: string[] = [];
      const report = (error: unknown): undefined => void errors.push(String(error));
      await expect(queue.add(refused)).rejects.toThrow(refusal.reconnects ? '' : refusal.code);
      const over = new AbortController();
      const taking = (async () => {
        const taken: TakenJob[] = [];
        while (!over.signal.aborted) {
          const one = await consumer.take().catch(report);
          if (one) taken.push(one);
        }
        return taken;
      })();
      const since = await connected();
      // Again and again, not once.
      if (refusal.reconnects) await until(async () => (await connected()) >= since + 3, 'new connections');
      else await until(() => errors.length >= 3, 'three errors');
      for (const error of errors) expect(error).toContain(refusal.code);
      over.abort();
      await refusal.end(admin);

      await until(() => queue.add(refused).then(() => true), 'jobs to be accepted again');
      const taken = await taking;
      const early = taken.flatMap(({ runs }) => idsOf(runs));
      for (const one of taken) await one.complete();
      const rest = await takeRuns(consumer, 2 - early.length);
      expect([...early, ...rest].sort()).toEqual(idsOf([...waiting, ...refused]).sort());
      expect(await kindsOf(queue, [...waiting, ...refused])).toEqual(['missing']);
      // Its lock may have expired meanwhile.
      await job.complete().catch(() => undefined);
      await until(async () => (await connections()) <= before, 'no more connections than before');
    });
  });
}

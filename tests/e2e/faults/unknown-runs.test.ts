import { connectRedis, createRunQueue, readFleet, type Redis, type RunQueue } from '@deckhand/queue';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  chain,
  expectWithin,
  itInTime,
  promised,
  seedWorkflow,
  startStores,
  startTestWorker,
  stopAll,
  stopLater,
  type Stores,
  timed,
  until,
} from '../../harness/index.ts';
import { v7 as uuidv7 } from 'uuid';
import { serve } from '../../harness/serve.ts';

let stores: Stores;
let redis: Redis;
let queue: RunQueue;
let workerId: string;

beforeAll(async () => {
  stores = await startStores();
  redis = connectRedis(stores.redis.url, { role: 'producer' });
  await until(() => redis.status === 'ready');
  queue = createRunQueue(redis);
  stopLater({
    async stop() {
      await queue.close();
      redis.disconnect();
    },
  });
  await startTestWorker(stores, { mayRecover: true });
  const [worker] = await until(async () => {
    const fleet = await readFleet(redis);
    return fleet.length === 1 && fleet;
  });
  workerId = worker?.id ?? '';
});
afterAll(stopAll);

const read = (id: string) => stores.db.execution.findUniqueOrThrow({ where: { id } });
const owned = (): {
  status: 'running';
  epoch: number;
  claimedDispatch: number;
  claimToken: string;
  workerId: string;
} => ({
  status: 'running',
  epoch: 1,
  claimedDispatch: 1,
  claimToken: uuidv7(),
  workerId,
});

describe('a run that a live worker owns in the database and does not know', () => {
  itInTime('continues within 4 s', async () => {
    const seed = await seedWorkflow(stores.db, chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } }));
    const ids = await Promise.all(Array.from({ length: 30 }, () => seed.accept()));
    const since = Date.now();
    await stores.db.execution.updateMany({
      where: { id: { in: ids } },
      data: { ...owned(), startedAt: new Date() },
    });
    const done = () => stores.db.execution.count({ where: { id: { in: ids }, status: 'success' } });
    await until(async () => (await done()) === ids.length, 'the end of all runs');
    const { _max: last } = await stores.db.execution.aggregate({
      where: { id: { in: ids } },
      _max: { finishedAt: true },
    });
    expectWithin(promised('a worker owns a run in PostgreSQL and does not have it'), Number(last.finishedAt) - since);
  });

  it('rests when it is paused', async () => {
    const seed = await seedWorkflow(stores.db, chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } }));
    const id = await seed.accept();
    await stores.db.execution.update({ where: { id }, data: { ...owned(), status: 'paused' } });
    await until(async () => (await read(id)).workerId === null, 'the release');
    expect(await read(id)).toMatchObject({ status: 'paused', dispatchSeq: 1 });
  });
});

describe('a run that a worker knows', () => {
  /** Starts a run whose only call gets no response until the test sends it. */
  async function startCall() {
    const answers: (() => void)[] = [];
    let aborted = 0;
    const receiver = await serve((_request, response) => {
      answers.push(() => response.end());
      response.on('close', () => {
        if (!response.writableEnded) aborted += 1;
      });
    });
    const seed = await seedWorkflow(stores.db, chain({ id: 'call', type: 'http', parameters: { url: receiver.url } }));
    const id = await seed.accept();
    await queue.add([{ workspaceId: seed.workspaceId, executionId: id, dispatch: 1 }]);
    await until(() => answers.length === 1, 'the call');
    return { id, answers, aborted: () => aborted };
  }

  it('is left alone, however long its node takes', async () => {
    const { id, answers } = await startCall();
    // A run that the worker does not know appeared and disappeared in the meantime, so several comparisons were made.
    for (let round = 0; round < 2; round += 1) {
      const seed = await seedWorkflow(stores.db, chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } }));
      const unknown = await seed.accept();
      await stores.db.execution.update({ where: { id: unknown }, data: owned() });
      await until(async () => (await read(unknown)).status === 'success', 'the end of the unknown run');
    }
    expect(await read(id)).toMatchObject({ status: 'running', workerId, epoch: 1, dispatchSeq: 1 });
    for (const answer of answers) answer();
    await until(async () => (await read(id)).status === 'success', 'the end of the run');
  });

  it.each([
    ['that rests in the database', { workerId: null, status: 'waiting_for_input', claimToken: null }],
    ['that is claimed anew in the database', { epoch: 2, claimToken: uuidv7() }],
    [
      'that has ended in the database',
      { workerId: null, status: 'stopped', epoch: 2, claimToken: null, finishedAt: new Date() },
    ],
  ] as const)(
    '%s is halted, though nobody notified the worker',
    timed(async (_name, data) => {
      const { id, aborted } = await startCall();
      const since = performance.now();
      await stores.db.execution.update({ where: { id }, data });
      await until(() => aborted() === 1, 'the abort of the call');
      expectWithin(promised('a worker has a run in memory that it no longer owns'), performance.now() - since);
    }),
  );
});

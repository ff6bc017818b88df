import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import {
  callsByPath,
  CHAIN_NODES,
  startCallChain,
  startWorkerStores,
  type WorkerStores,
} from '../../harness/call-chain.ts';
import { chain, expectWithin, itInTime, promised, seedWorkflow, stopAll, until } from '../../harness/index.ts';

/** Duration of a call of a run whose worker is asked to stop. */
const CALL_MS = 200;

let stores: WorkerStores;

beforeAll(async () => {
  stores = await startWorkerStores();
});
afterAll(stopAll);

describe('when a worker dies in the middle of a run', () => {
  itInTime('another finishes it, and only the node in flight is called again, with the same key', async () => {
    const workers = [await stores.startWorker(), await stores.startWorker()];
    const { receiver, id } = await startCallChain(stores, 100);
    await until(() => receiver.calls.length >= 4, 'the fourth call');
    const holder = await stores.holderOf(id, workers);
    await holder.kill('SIGKILL');
    const diedAt = Date.now();
    await until(async () => (await stores.statusOf(id)) === 'success', 'the end of the run');

    const counts = callsByPath(receiver.calls);
    const repeated = Object.entries(counts).filter(([, count]) => count > 1);
    expect(Object.keys(counts)).toHaveLength(CHAIN_NODES);
    expect(repeated.length).toBeLessThanOrEqual(1);
    for (const [path, count] of repeated) {
      expect(count).toBe(2);
      expect(new Set(receiver.calls.filter((call) => call.path === path).map((call) => call.idempotencyKey)).size).toBe(
        1,
      );
    }
    const takenOverAt = receiver.calls.find(({ at }) => at > diedAt)?.at ?? Infinity;
    for (const worker of workers) await worker.stop();
    expectWithin(promised('a worker is killed'), takenOverAt - diedAt);
  });
});

describe('when a worker is asked to stop', () => {
  itInTime('the node in flight finishes, others continue with the rest at once, and it exits with 0', async () => {
    const first = await stores.startWorker();
    const { receiver, id } = await startCallChain(stores, CALL_MS);
    await until(() => receiver.calls.length >= 3, 'the third call');
    const second = await stores.startWorker();
    await first.stop();
    expect(await first.ended).toBe('code 0');
    await until(async () => (await stores.statusOf(id)) === 'success', 'the end of the run');
    expect(Object.values(callsByPath(receiver.calls))).toEqual(Array.from({ length: CHAIN_NODES }, () => 1));
    await second.stop();
    const times = receiver.calls.map(({ at }) => at);
    const longest = Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? at)));
    expectWithin(promised('a worker is stopped (SIGTERM)'), longest - CALL_MS);
  });
});

describe('when Redis loses everything', () => {
  itInTime('pending runs are dispatched again and none is lost', async () => {
    const seed = await seedWorkflow(stores.db, chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } }));
    const ids = await Promise.all(Array.from({ length: 50 }, () => seed.accept()));
    await stores.queue.add(ids.map((executionId) => ({ workspaceId: seed.workspaceId, executionId, dispatch: 1 })));
    await stores.redis.restart();
    const worker = await stores.startWorker();
    const readyAt = Date.now();
    const success = () => stores.db.execution.count({ where: { workflowId: seed.workflowId, status: 'success' } });
    await until(async () => (await success()) === ids.length, 'the end of all runs');
    await worker.stop();
    const { _max: last } = await stores.db.execution.aggregate({
      where: { workflowId: seed.workflowId },
      _max: { finishedAt: true },
    });
    expectWithin(promised('Redis is emptied'), Number(last.finishedAt) - readyAt);
  });
});

import { stopExecution } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { callsByPath, startCallChain, startWorkerStores, type WorkerStores } from '../../harness/call-chain.ts';
import { stopAll, until } from '../../harness/index.ts';

let stores: WorkerStores;

beforeAll(async () => {
  stores = await startWorkerStores();
});
afterAll(stopAll);

describe('when a worker freezes for longer than its heartbeat lives', () => {
  it('another continues; when it thaws it writes nothing of that run, and takes new ones', async () => {
    const workers = [await stores.startWorker(), await stores.startWorker()];
    const { receiver, id } = await startCallChain(stores, 100);
    await until(() => receiver.calls.length >= 4, 'the fourth call');
    const frozen = await stores.holderOf(id, workers);
    process.kill(frozen.pid, 'SIGSTOP');
    await until(async () => (await stores.statusOf(id)) === 'success', 'the end of the run');
    const finished = await stores.db.execution.findUniqueOrThrow({ where: { id } });
    const nodeRuns = await stores.db.nodeRun.findMany({ where: { executionId: id }, orderBy: { nodeId: 'asc' } });
    process.kill(frozen.pid, 'SIGCONT');
    for (const worker of workers) if (worker !== frozen) await worker.stop();

    // Only the thawed worker is left: it has noticed that it is fenced by the time it has run another run.
    const next = await startCallChain(stores, 0);
    await until(async () => (await stores.statusOf(next.id)) === 'success', 'the end of another run');
    expect(await stores.db.execution.findUniqueOrThrow({ where: { id } })).toEqual(finished);
    expect(await stores.db.nodeRun.findMany({ where: { executionId: id }, orderBy: { nodeId: 'asc' } })).toEqual(
      nodeRuns,
    );
    expect(Object.values(callsByPath(receiver.calls)).filter((count) => count > 1).length).toBeLessThanOrEqual(1);
    await frozen.stop();
  });
});

describe('when a run is stopped after its worker died', () => {
  it('no node of it starts any more, however long the recovery is waited for', async () => {
    const first = await stores.startWorker();
    const [stopped, other] = [await startCallChain(stores, 200), await startCallChain(stores, 200)];
    await until(() => Math.min(stopped.receiver.calls.length, other.receiver.calls.length) >= 3, 'the calls');
    await first.kill('SIGKILL');
    const { workspaceId } = await stores.db.execution.findUniqueOrThrow({ where: { id: stopped.id } });
    const { userId } = await stores.db.membership.findFirstOrThrow({ where: { workspaceId } });
    await stopExecution(stores.db, { userId, boundTo: null }, stopped.id);
    const calls = stopped.receiver.calls.length;
    const state = async () => ({
      run: await stores.db.execution.findUniqueOrThrow({ where: { id: stopped.id } }),
      nodes: await stores.db.nodeRun.findMany({ where: { executionId: stopped.id }, orderBy: { nodeId: 'asc' } }),
    });
    const before = await state();
    const second = await stores.startWorker();

    // The other run of the dead worker continued, so the stopped one had its chance too.
    await until(async () => (await stores.statusOf(other.id)) === 'success', 'the end of the other run');
    expect(stopped.receiver.calls.length).toBe(calls);
    expect(await state()).toEqual(before);
    await second.stop();
  });
});

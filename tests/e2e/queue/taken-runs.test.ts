import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { callWithKey, chain, createWorkflow, type Instance } from '../../harness/index.ts';
import { startInstance, startTestWorker, stopAll, until, countLockWaits } from '../../harness/index.ts';
import { edges } from '../../harness/engine.ts';

let instance: Instance;
let worker: Awaited<ReturnType<typeof startTestWorker>>;
let workflowId: string;

beforeAll(async () => {
  instance = await startInstance();
  worker = await startTestWorker(instance);
  workflowId = await createWorkflow(instance, {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      {
        id: 'lock',
        type: 'lock',
        onError: 'branch',
        parameters: { key: 'account {{ $trigger.account }}', timeoutSeconds: '{{ $trigger.seconds }}' },
      },
      { id: 'inside', type: 'approval', parameters: { message: 'Well?' } },
      { id: 'unlock', type: 'unlock', parameters: { key: 'account {{ $trigger.account }}' } },
      { id: 'after', type: 'approval', parameters: { message: 'And now?' } },
      { id: 'late', type: 'set', parameters: { fields: { code: '{{ $input.error.code }}' } } },
      { id: 'broken', type: 'fail', parameters: { message: 'rejected' } },
    ],
    edges: edges(
      ...['start -> lock', 'lock -> inside', 'inside.approved -> unlock', 'unlock -> after'],
      ...['inside.rejected -> broken', 'lock.error -> late'],
    ),
  });
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const read = async (id: string) => (await call('GET', `/api/executions/${id}`)).body;
const answer = (executionId: string, nodeId: string, approved: boolean) =>
  call('POST', '/api/approvals/submit', { executionId, nodeId, approved });
const isAt = (id: string, nodeId: string) =>
  until(async () => (await read(id)).progress[nodeId]?.status === 'waiting', `${nodeId} of ${id}`);

async function start(account: number, seconds = 3_600): Promise<string> {
  const { body } = await call('POST', `/api/workflows/${workflowId}/execute`, { input: { account, seconds } });
  return body.executionId;
}

it('one run at a time is between lock and unlock, in the order in which they came, whatever the end of the others', async () => {
  const first = await start(1);
  await isAt(first, 'inside');
  const waiting: string[] = [];
  while (waiting.length < 4) {
    const id = await start(1);
    await isAt(id, 'lock');
    waiting.push(id);
  }
  const [second = '', failing = '', stopped = '', last = ''] = waiting;
  expect(await read(second)).toMatchObject({
    status: 'running',
    progress: { lock: { status: 'waiting', error: { code: 'LOCK_WAITING' } } },
  });
  // Another key is free.
  await isAt(await start(2), 'inside');

  await answer(first, 'inside', true);
  await isAt(first, 'after');
  await isAt(second, 'inside');
  expect((await read(failing)).progress.inside?.status).toBe('pending');
  await call('POST', `/api/executions/${second}/stop`);
  await isAt(failing, 'inside');
  await answer(failing, 'inside', false);
  await until(async () => (await read(failing)).status === 'failed');
  await isAt(stopped, 'inside');

  // The next worker goes on with a run that holds the lock, and it still does.
  await worker.stop();
  worker = await startTestWorker(instance);
  expect((await read(last)).progress.inside?.status).toBe('pending');
  await call('POST', `/api/executions/${stopped}/stop`);
  await isAt(last, 'inside');
  await answer(last, 'inside', true);
  await isAt(last, 'after');
  await until(async () => (await instance.db.runLock.count({ where: { key: 'account 1' } })) === 0);
});

it('a run that does not get it in time goes on at its error output', async () => {
  const holder = await start(3);
  await isAt(holder, 'inside');
  const late = await start(3, 1);
  await until(async () => (await read(late)).status === 'success');
  expect((await read(late)).progress).toMatchObject({
    lock: { status: 'failed', error: { code: 'LOCK_TIMEOUT' } },
    late: { output: { code: 'LOCK_TIMEOUT' } },
  });
});

it('a run that does not wait gets a lock that is free, and none that is held', async () => {
  const holder = await start(4, 0);
  await isAt(holder, 'inside');
  const late = await start(4, 0);
  await until(async () => (await read(late)).status === 'success');
  expect((await read(late)).progress.late).toMatchObject({ output: { code: 'LOCK_TIMEOUT' } });
});

it('leaves connections to other runs, however many runs want the same lock', async () => {
  const other = await createWorkflow(instance, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
  await instance.db.$transaction(
    async (tx) => {
      const name = `lock ${instance.workspaceId} account 9`;
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
      // More than the worker has connections, and fewer than it has places for runs.
      await Promise.all(Array.from({ length: 15 }, () => start(9)));
      await until(async () => (await countLockWaits(tx, 'advisory')) > 0, 'a run that waits for the key');
      const { body } = await call('POST', `/api/workflows/${other}/execute`, { input: {} });
      await until(async () => (await read(body.executionId)).status === 'success', 'the end of the other run');
      expect(await countLockWaits(tx, 'advisory')).toBeLessThanOrEqual(2);
    },
    { timeout: 30_000 },
  );
});

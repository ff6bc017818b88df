import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  callWithKey,
  chain,
  endPartitions,
  type Instance,
  seedWorkflow,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

const DAY_MS = 86_400_000;

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
});
afterAll(stopAll);

it('a worker creates the partitions that are missing, and drops those whose runs all expired', async () => {
  const { db } = instance;
  await endPartitions(db, 40);
  const echo = chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } });
  const call = callWithKey(() => instance);
  const saved = await call('POST', '/api/workflows', {
    workspaceId: instance.workspaceId,
    name: 'echo',
    definition: echo,
  });
  const execute = () => call('POST', `/api/workflows/${saved.body.id}/execute`, {});
  // Nothing can be accepted, and nothing is lost: callers are told to come back.
  expect((await execute()).status).toBe(503);

  const worker = await startTestWorker(instance);
  await until(async () => (await execute()).status === 202, 'an accepted run');
  const seed = await seedWorkflow(db, echo);
  const [accepted, old] = [await seed.accept(), uuidv7({ msecs: Date.now() - 50 * DAY_MS })];
  const finishedAt = new Date(Date.now() - 45 * DAY_MS);
  await db.execution.update({
    where: { id: accepted },
    data: { id: old, status: 'success', finishedAt, storedBytes: 1_000 },
  });
  await db.nodeRun.create({ data: { executionId: old, nodeId: 'a', status: 'success', finishedAt } });
  await db.largeOutput.create({ data: { id: uuidv7(), executionId: old, data: new Uint8Array(10) } });

  const body = {
    dataRetentionDays: null,
    runRetentionDays: 30,
    defaultExecutionsPerMinute: null,
    defaultStorageQuotaBytes: null,
  };
  expect((await instance.gateway.call('PUT', '/api/admin/settings', { as: instance.session, body })).status).toBe(200);
  const tables = () => db.$queryRaw<unknown[]>`SELECT FROM pg_class WHERE relname LIKE '%\_p0' AND relkind = 'r'`;
  await until(async () => (await tables()).length === 0, 'the drop of the partition');
  expect(await db.execution.findUnique({ where: { id: old } })).toBeNull();
  expect(await db.nodeRun.count({ where: { executionId: old } })).toBe(0);
  expect(await db.largeOutput.count({ where: { executionId: old } })).toBe(0);
  expect((await execute()).status).toBe(202);
  await worker.stop();
});

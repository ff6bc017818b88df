import {
  acceptEvents,
  createBulkAction,
  createDatabase,
  type Database,
  failBlockedRun,
  startChild,
  stopExecution,
} from '@deckhand/db';
import {
  connectRedis,
  createRunQueue,
  MAINTENANCE_LEASE_KEY,
  readFleet,
  type Redis,
  type RunQueue,
} from '@deckhand/queue';
import { createSecretBox, createSymmetricSecret } from '@deckhand/runtime';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  chain,
  createTestDatabase,
  expectWithin,
  itInTime,
  NEVER_MS,
  promised,
  seedWorkflow,
  spawnApp,
  startEventReceiver,
  startReceiver,
  startTestRedis,
  stopAll,
  stopLater,
  TEST_ENCRYPTION_KEY,
  type TestApp,
  UNCOUNTED,
  until,
} from '../../harness/index.ts';

let env: Record<string, string>;
let db: Database;
let redis: Redis;
let queue: RunQueue;

beforeAll(async () => {
  const [database, server] = [await createTestDatabase(), await startTestRedis()];
  env = { DATABASE_URL: database.url, REDIS_URL: server.url };
  db = createDatabase({ url: database.url, poolSize: 4 });
  redis = connectRedis(server.url, { role: 'producer' });
  await until(() => redis.status === 'ready');
  queue = createRunQueue(redis);
  stopLater({
    async stop() {
      await queue.close();
      redis.disconnect();
      await db.$disconnect();
    },
  });
});
afterAll(stopAll);

const RESTS = { id: 'rest', type: 'wait', parameters: { seconds: 600 } };
const QUICK = { id: 'a', type: 'set', parameters: { fields: { ok: true } } };

const read = (id: string) => db.execution.findUniqueOrThrow({ where: { id } });
const start = async ({ workspaceId, accept }: Awaited<ReturnType<typeof seedWorkflow>>): Promise<string> => {
  const executionId = await accept();
  await queue.add([{ workspaceId, executionId, dispatch: 1 }]);
  return executionId;
};
const rests = (id: string) =>
  until(async () => (await read(id)).workerId === null && (await read(id)).startedAt, 'the rest');

/** The worker that carries out maintenance. */
async function leaseHolder(workers: readonly TestApp[]): Promise<TestApp> {
  return until(async () => {
    const owner = await redis.get(MAINTENANCE_LEASE_KEY);
    const pid = (await readFleet(redis)).find(({ id }) => id === owner)?.pid;
    return workers.find((worker) => worker.pid === pid);
  }, 'a worker with the maintenance lease');
}

describe('what a process that died has left', () => {
  itInTime('is found by maintenance: runs without a job, children of a stopped run, a slot that is free', async () => {
    const worker = await spawnApp('worker', env);
    await leaseHolder([worker]);

    // The API died between insert and job.
    const lost = await (await seedWorkflow(db, chain(QUICK))).accept();

    // The API died after it stopped a run that has started another.
    const family = await seedWorkflow(db, chain(RESTS));
    const parent = await start(family);
    await rests(parent);
    const child = uuidv7();
    const place = { workflowId: family.workflowId, parentExecutionId: parent, parentNodeId: 'rest' };
    await startChild(db, { ...place, executionId: child, triggerData: '{}' }, UNCOUNTED);
    await stopExecution(db, { userId: family.userId, boundTo: null }, parent);

    // A worker died between the end of a run and the dispatch of the next.
    const receiver = await startReceiver(() => NEVER_MS);
    const limited = await seedWorkflow(
      db,
      chain({ id: 'call', type: 'http', parameters: { url: receiver.url, method: 'POST' } }),
    );
    await db.workflow.update({ where: { id: limited.workflowId }, data: { maxConcurrentExecutions: 1 } });
    const [holder, next] = [await start(limited), await start(limited)];
    await until(async () => (await read(next)).heldBackAt !== null, 'a run that is held back');
    await db.execution.update({
      where: { id: holder },
      data: { status: 'success', finishedAt: new Date(), workerId: null, epoch: { increment: 1 } },
    });

    const ended = await until(async () => (await read(child)).finishedAt, 'the end of the child');
    const began = await until(async () => (await read(next)).startedAt, 'the next run');
    const ran = await until(async () => (await read(lost)).finishedAt, 'the end of the run without a job');
    expect((await read(child)).status).toBe('stopped');
    await worker.kill('SIGKILL');
    const since = async (id: string) => Number((await read(id)).finishedAt);
    expectWithin(promised('the API dies between insert and job'), Number(ran) - Number((await read(lost)).createdAt));
    expectWithin(promised('the API dies after it stopped a run'), Number(ended) - (await since(parent)));
    expectWithin(
      promised('a worker dies between the end of a run and the dispatch of the next', '1 to 2 s'),
      Number(began) - (await since(holder)),
    );
  });
});

describe('when the worker dies that carries out maintenance', () => {
  itInTime('another continues with all of its tasks', async () => {
    const workers = [await spawnApp('worker', env), await spawnApp('worker', env)];
    const holder = await leaseHolder(workers);
    const receiver = await startEventReceiver();
    const box = createSecretBox(TEST_ENCRYPTION_KEY);

    const failing = await seedWorkflow(db, chain(RESTS));
    const { workspaceId, userId } = failing;
    const handler = await seedWorkflow(db, chain(QUICK));
    const { latestVersionId } = await db.workflow.findUniqueOrThrow({ where: { id: handler.workflowId } });
    await db.workflow.update({
      where: { id: handler.workflowId },
      data: { workspaceId, status: 'active', activeVersionId: latestVersionId },
    });
    await db.workspace.update({ where: { id: workspaceId }, data: { errorWorkflowId: handler.workflowId } });
    const endpointId = uuidv7();
    await db.eventEndpoint.create({ data: { id: endpointId, workspaceId, url: receiver.url } });
    await db.eventSecret.create({
      data: { id: uuidv7(), endpointId, secret: await box.seal(createSymmetricSecret()) },
    });
    const [failed, stopped] = [await failing.accept(), await failing.accept()];

    await holder.kill('SIGKILL');
    const diedAt = Date.now();
    const eventId = uuidv7();
    await acceptEvents(db, [{ id: eventId, workspaceId, actor: null, eventId, name: 'paid', key: '', data: 'null' }]);
    const bulk = { workspaceId, action: 'stop' as const };
    await createBulkAction(db, { userId, boundTo: null }, bulk, [stopped]);
    expect(await failBlockedRun(db, { executionId: failed, blockedMs: 30_000 })).toBe(true);

    const times = await Promise.all([
      until(async () => (await db.event.findUniqueOrThrow({ where: { id: eventId } })).matchedAt, 'the match'),
      until(
        async () => (await read(stopped)).status === 'stopped' && (await read(stopped)).finishedAt,
        'the bulk action',
      ),
      until(async () => (await read(failed)).errorExecutionId, 'the error workflow').then(
        async (id) => (await read(id)).createdAt,
      ),
      until(
        async () =>
          (await db.eventDelivery.findFirst({ where: { executionId: failed, status: 'delivered' } }))?.finishedAt,
        'the delivery',
      ),
      until(async () => (await db.unindexedExecution.count()) === 0, 'the index').then(() => Date.now()),
    ]);
    for (const worker of workers) await worker.stop();
    const [matched = NaN, acted = NaN, reported = NaN, delivered = NaN, indexed = NaN] = times.map(
      (at) => Number(at) - diedAt,
    );
    expectWithin(promised('the worker that matches [incoming events]'), matched);
    expectWithin(promised('a worker dies while it carries out a [bulk action]'), acted);
    expectWithin(promised('the worker that starts [error workflows]'), reported);
    expectWithin(promised('it dies before it sends it', '2.5 to 4 s'), delivered);
    expectWithin(promised('a worker dies while it adds failed runs to their [groups]'), indexed);
  });
});

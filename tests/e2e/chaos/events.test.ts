import { addCallbackLanes, createDatabase, type Database, stopExecution, timeOutRuns } from '@deckhand/db';
import type { LocalRedis } from '@deckhand/local';
import { connectRedis, type Redis } from '@deckhand/queue';
import { createSecretBox, createSymmetricSecret } from '@deckhand/runtime';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import {
  chain,
  createTestDatabase,
  type EventReceiver,
  seedWorkflow,
  spawnApp,
  startEventReceiver,
  startTestRedis,
  stopAll,
  stopLater,
  TEST_ENCRYPTION_KEY,
  until,
} from '../../harness/index.ts';

let env: Record<string, string>;
let db: Database;
let redis: LocalRedis;
let connection: Redis;

beforeAll(async () => {
  const database = await createTestDatabase();
  redis = await startTestRedis();
  env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  db = createDatabase({ url: database.url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  connection = connectRedis(redis.url, { role: 'producer' });
  stopLater({
    stop: async () => {
      connection.disconnect();
    },
  });
});
afterAll(stopAll);

/** A workflow whose workspace has an endpoint. */
async function seed(receiver: EventReceiver, definition = chain()) {
  const found = await seedWorkflow(db, definition);
  const { workspaceId } = found;
  const [endpointId, secret] = [uuidv7(), await createSecretBox(TEST_ENCRYPTION_KEY).seal(createSymmetricSecret())];
  await db.eventEndpoint.create({ data: { id: endpointId, workspaceId, url: receiver.url } });
  await db.eventSecret.create({ data: { id: uuidv7(), endpointId, secret } });
  return { ...found, endpointId };
}

const pendingOf = (endpointId: string) => db.eventDelivery.count({ where: { endpointId, status: 'pending' } });

describe('events', () => {
  it('reach the callback of each run, though workers are killed again and again', async () => {
    const RUNS = 1_000;
    // Slow enough that the workers are killed while callbacks are left.
    const receiver = await startEventReceiver(() => ({ status: 204, after: sleep(20) }));
    const { accept, workspaceId, workflowId } = await seedWorkflow(db, chain());
    await addCallbackLanes(db, workspaceId, await createSecretBox(TEST_ENCRYPTION_KEY).seal(createSymmetricSecret()));
    for (let n = 0; n < RUNS; n += 1) await accept({ n });
    await db.execution.updateMany({ where: { workflowId }, data: { callbackUrl: receiver.url } });
    const sent = () => new Set(receiver.events.map(({ id }) => id)).size;
    for (let kill = 0; kill < 3; kill += 1) {
      const before = sent();
      const worker = await spawnApp('worker', env);
      await until(() => sent() > before, 'callbacks');
      await worker.kill('SIGKILL');
      // Instead of waiting for the end of its leases.
      await db.eventEndpoint.updateMany({ where: { workspaceId }, data: { leasedUntil: new Date(0) } });
    }
    expect(sent()).toBeLessThan(RUNS);
    const worker = await spawnApp('worker', env);
    const delivered = () => db.eventDelivery.count({ where: { workspaceId, status: 'delivered' } });
    await until(async () => (await delivered()) === RUNS, 'the last callback');
    expect(await db.eventDelivery.count({ where: { workspaceId } })).toBe(RUNS);
    expect(sent()).toBe(RUNS);
    const runs = new Set(receiver.events.map(({ payload }) => payload.data.executionId));
    expect(runs.size).toBe(RUNS);
    await worker.stop();
  });

  it('that were sent by a worker that is killed before it records that are sent again with the same id', async () => {
    let release = (): void => undefined;
    const response = new Promise<void>((resolve) => (release = resolve));
    const receiver = await startEventReceiver(() => ({ status: 200, after: response }));
    const { accept, endpointId } = await seed(receiver);
    const first = await spawnApp('worker', env);
    const id = await accept();
    const sent = await until(() => receiver.events[0], 'the event');
    await first.kill();
    release();
    const [delivery] = await db.eventDelivery.findMany({ where: { endpointId }, orderBy: { seq: 'asc' } });
    expect(delivery).toMatchObject({ status: 'pending', attemptCount: 0, type: 'run.started' });
    const lane = await db.eventEndpoint.findUniqueOrThrow({ where: { id: endpointId } });
    expect(Number(lane.leasedUntil) - Date.now()).toBeGreaterThan(15_000);
    // Instead of waiting for the end of the lease.
    await db.eventEndpoint.update({ where: { id: endpointId }, data: { leasedUntil: new Date(0) } });
    await spawnApp('worker', env);
    await until(async () => (await pendingOf(endpointId)) === 0 && receiver.typesOf(id).length >= 3, 'the rest');
    expect(receiver.typesOf(id)).toEqual(['run.started', 'run.started', 'run.succeeded']);
    expect(receiver.events[1]?.id).toBe(sent.id);
  });

  it('outlive the loss of everything in Redis', async () => {
    let status = 503;
    const receiver = await startEventReceiver(() => ({ status }));
    const { accept, endpointId } = await seed(receiver);
    await spawnApp('worker', env);
    const ids = await Promise.all(Array.from({ length: 10 }, () => accept()));
    await until(async () => (await pendingOf(endpointId)) === 20, 'the events');
    await connection.flushall();
    status = 200;
    await db.eventDelivery.updateMany({ where: { endpointId }, data: { nextAttemptAt: new Date() } });
    await until(async () => (await pendingOf(endpointId)) === 0, 'the deliveries');
    for (const id of ids) {
      const types = receiver.typesOf(id);
      expect(types.lastIndexOf('run.started')).toBeLessThan(types.indexOf('run.succeeded'));
    }
  });

  it('exist exactly for the ends that are committed, whoever ends the run and however often', async () => {
    const receiver = await startEventReceiver();
    const { accept, userId, endpointId } = await seed(
      receiver,
      chain({ id: 'ask', type: 'approval', parameters: { message: 'Well?' } }),
    );
    const [stopped, late] = [await accept(), await accept()];
    await until(
      async () => (await db.execution.findUniqueOrThrow({ where: { id: late } })).status === 'waiting_for_input',
    );
    await stopExecution(db, { userId, boundTo: null }, stopped);
    await expect(stopExecution(db, { userId, boundTo: null }, stopped)).rejects.toThrow();
    await db.execution.update({ where: { id: late }, data: { deadlineAt: new Date(0) } });
    await timeOutRuns(db, [late, late], 0);
    await timeOutRuns(db, [late], 0);
    await until(async () => (await pendingOf(endpointId)) === 0);
    expect(receiver.typesOf(stopped).filter((type) => type === 'run.stopped')).toHaveLength(1);
    expect(receiver.typesOf(late).filter((type) => type === 'run.timed_out')).toHaveLength(1);
  });
});

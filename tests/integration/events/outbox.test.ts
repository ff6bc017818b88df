import {
  addCallbackLanes,
  type AttemptResult,
  type Checkpoint,
  type Claim,
  claimExecutions,
  createDatabase,
  type Database,
  recordEventAttempts,
  releaseExecutions,
  stopExecution,
  type TakenDelivery,
  takeEventDeliveries,
  tidyEventDeliveries,
  timeOutRuns,
  writeCheckpoints,
} from '@deckhand/db';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { chain, createTestDatabase, type Seed, seedWorkflow, stopAll, stopLater } from '../../harness/index.js';

let db: Database;
let seed: Seed;
let endpointId: string;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
});
afterAll(stopAll);
beforeEach(async () => {
  await db.eventEndpoint.deleteMany();
  await db.eventDelivery.deleteMany();
  seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
  endpointId = await addEndpoint();
});

async function addEndpoint(workspaceId = seed.workspaceId): Promise<string> {
  const id = uuidv7();
  await db.eventEndpoint.create({ data: { id, workspaceId, url: 'http://receiver.test/' } });
  return id;
}

async function claim(executionId: string, dispatch = 1) {
  const [workerId, token] = [uuidv7(), uuidv7()];
  const [claimed] = await claimExecutions(db, [{ executionId, dispatch, token }], workerId);
  if (!claimed) throw new Error('the run was not claimed');
  return { executionId, epoch: claimed.epoch, token, workerId };
}

function ending(executionId: string, { epoch, token }: Claim): Checkpoint {
  return {
    executionId,
    epoch,
    token,
    claim: null,
    checkpoint: 1,
    currentNodeId: null,
    loopPositions: null,
    nodeRuns: [],
    nodeIterations: [],
    waits: [],
    ending: { kind: 'finished', status: 'success', error: null, result: null },
  };
}

const typesOf = async (executionId: string) =>
  (await db.eventDelivery.findMany({ where: { executionId }, orderBy: { seq: 'asc' } })).map(({ type }) => type);

const take = (members: Partial<Parameters<typeof takeEventDeliveries>[1]> = {}) =>
  takeEventDeliveries(db, {
    inProgress: new Map(),
    maxPerEndpoint: 10,
    room: 100,
    failingRoom: 100,
    leaseMs: 60_000,
    ...members,
  });

function resultOf(delivery: TakenDelivery, outcome: AttemptResult['outcome'], retryInMs = 0): AttemptResult {
  const attempt = { at: new Date().toISOString(), status: 200, durationMs: 1, error: null };
  return { delivery, attempt, outcome, retryInMs, throttleMs: 0 };
}

const makeDue = () => db.eventDelivery.updateMany({ data: { nextAttemptAt: new Date(0) } });

async function emit(count: number, endpoint = endpointId, executionId: string | null = null): Promise<void> {
  const { workspaceId } = seed;
  for (let n = 0; n < count; n += 1) {
    await db.eventDelivery.create({ data: { endpointId: endpoint, workspaceId, executionId, type: 'run.started' } });
  }
}

describe('an event', () => {
  it('is stored once, though a run is claimed and its last checkpoint is written more than once', async () => {
    const id = await seed.accept();
    const first = await claim(id);
    await releaseExecutions(db, first.workerId, [first]);
    const held = await claim(id, 2);
    expect(await writeCheckpoints(db, [ending(id, held)])).toEqual(['written']);
    expect(await writeCheckpoints(db, [ending(id, held)])).toEqual(['written']);
    expect(await typesOf(id)).toEqual(['run.started', 'run.succeeded']);
  });

  it('of a callback is stored once, by the statement that ends the run', async () => {
    await addCallbackLanes(db, seed.workspaceId, 'sealed');
    const url = 'https://receiver.test/a?b#c';
    const [id, other] = [await seed.accept(), await seed.accept()];
    await db.execution.updateMany({ where: { id: { in: [id, other] } }, data: { callbackUrl: url } });
    const held = await claim(id);
    expect(await writeCheckpoints(db, [ending(id, held)])).toEqual(['written']);
    expect(await writeCheckpoints(db, [ending(id, held)])).toEqual(['written']);
    await stopExecution(db, { userId: seed.userId, boundTo: null }, other);
    const callbacks = await db.eventDelivery.findMany({ where: { url: { not: null } }, orderBy: { seq: 'asc' } });
    expect(callbacks.map((row) => [row.executionId, row.type, row.url])).toEqual([
      [id, 'run.succeeded', url],
      [other, 'run.stopped', url],
    ]);
    await db.eventEndpoint.deleteMany({ where: { callbackLane: { not: null } } });
  });

  it('is not stored for a checkpoint that is refused, and the stop has its own', async () => {
    const id = await seed.accept();
    const held = await claim(id);
    await stopExecution(db, { userId: seed.userId, boundTo: null }, id);
    expect(await writeCheckpoints(db, [ending(id, held)])).toEqual(['fenced']);
    expect(await timeOutRuns(db, [id], 0)).toEqual([]);
    expect(await typesOf(id)).toEqual(['run.started', 'run.stopped']);
  });

  it('is stored for the endpoints of its workspace alone, and not for a disabled one', async () => {
    const other = await seedWorkflow(db, chain());
    await addEndpoint(other.workspaceId);
    const disabled = await addEndpoint();
    await db.eventEndpoint.update({ where: { id: disabled }, data: { disabledAt: new Date() } });
    await claim(await seed.accept());
    expect((await db.eventDelivery.findMany()).map((row) => row.endpointId)).toEqual([endpointId]);
  });
});

describe('taking deliveries', () => {
  it('gives each to one process, until its lease ends', async () => {
    await emit(8);
    const taken = (await Promise.all([take(), take(), take()])).flat();
    expect(new Set(taken.map(({ id }) => id)).size).toBe(8);
    expect(taken).toHaveLength(8);
    expect(await take()).toEqual([]);
    await makeDue();
    expect((await take()).map(({ attempt }) => attempt)).toEqual(Array.from({ length: 8 }, () => 2));
  });

  it('leaves out what another process is taking, without waiting for it', async () => {
    await emit(3);
    await db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT id FROM event_deliveries ORDER BY seq LIMIT 1 FOR UPDATE`;
      expect(await take()).toHaveLength(2);
    });
  });

  it('keeps the events of a run in order, also while one waits for its next attempt', async () => {
    const [executionId, other] = [uuidv7(), uuidv7()];
    await emit(2, endpointId, executionId);
    await emit(1, endpointId, other);
    const [first, ...others] = await take();
    expect(others.map((delivery) => delivery.executionId)).toEqual([other]);
    expect(await take()).toEqual([]);
    if (first) await recordEventAttempts(db, [resultOf(first, 'retry', 3_600_000)]);
    expect(await take()).toEqual([]);
    // Behind its predecessor, so that it is not read again with each take.
    const due = await db.eventDelivery.findMany({ where: { executionId }, orderBy: { seq: 'asc' } });
    expect(due[1]?.nextAttemptAt).toEqual(due[0]?.nextAttemptAt);
    await makeDue();
    const [again] = await take();
    expect(again).toMatchObject({ id: first?.id, attempt: 2 });
    if (again) await recordEventAttempts(db, [resultOf(again, 'delivered')]);
    expect((await take()).map((delivery) => delivery.executionId)).toContain(executionId);
  });

  it('gives a failing endpoint one at a time, and one that asked for a pause none', async () => {
    const [failing, throttled] = [await addEndpoint(), await addEndpoint()];
    await db.eventEndpoint.update({ where: { id: failing }, data: { failureCount: 5 } });
    await db.eventEndpoint.update({
      where: { id: throttled },
      data: { throttledUntil: new Date(Date.now() + 60_000) },
    });
    for (const id of [endpointId, failing, throttled]) await emit(3, id);
    const taken = await take();
    expect(taken.filter((delivery) => delivery.endpointId === failing)).toHaveLength(1);
    expect(taken.filter((delivery) => delivery.endpointId === endpointId)).toHaveLength(3);
    expect(taken).toHaveLength(4);
    expect(await take({ inProgress: new Map([[failing, 1]]) })).toEqual([]);
  });

  it('gives every endpoint its share where there is little room', async () => {
    const other = await addEndpoint();
    await emit(10);
    await emit(2, other);
    const taken = await take({ room: 4 });
    expect(taken.filter((delivery) => delivery.endpointId === other)).toHaveLength(2);
    expect(taken).toHaveLength(4);
    expect(await take({ maxPerEndpoint: 3, inProgress: new Map([[endpointId, 2]]) })).toHaveLength(1);
  });
});

describe('recording an attempt', () => {
  it('late: a success counts, a failure does not change what a later attempt does', async () => {
    await emit(2);
    const early = await take();
    await makeDue();
    await take();
    const [first, second] = early;
    if (!first || !second) throw new Error('nothing was taken');
    await recordEventAttempts(db, [resultOf(first, 'failed'), resultOf(second, 'delivered')]);
    const rows = await db.eventDelivery.findMany({ where: { id: { in: [first.id, second.id] } } });
    const statusOf = (id: string) => rows.find((row) => row.id === id)?.status;
    expect([statusOf(first.id), statusOf(second.id)]).toEqual(['pending', 'delivered']);
  });

  it('ends the failures of an endpoint with its first success', async () => {
    await db.eventEndpoint.update({ where: { id: endpointId }, data: { failureCount: 3, failingSince: new Date() } });
    await emit(1);
    await recordEventAttempts(
      db,
      (await take()).map((delivery) => resultOf(delivery, 'delivered')),
    );
    const endpoint = await db.eventEndpoint.findUniqueOrThrow({ where: { id: endpointId } });
    expect(endpoint).toMatchObject({ failureCount: 0, failingSince: null });
  });
});

describe('tidying', () => {
  it('fails what is pending for a disabled endpoint or was not attempted for days, and deletes what is old', async () => {
    const [disabled, slow, gone] = [await addEndpoint(), await addEndpoint(), uuidv7()];
    await emit(3, disabled);
    await emit(2, slow);
    await emit(2, gone);
    await emit(1);
    await db.eventEndpoint.update({ where: { id: disabled }, data: { disabledAt: new Date() } });
    const days = (count: number): Date => new Date(Date.now() - count * 86_400_000);
    await db.eventDelivery.updateMany({ where: { endpointId: slow }, data: { nextAttemptAt: days(4) } });
    await db.eventDelivery.create({
      data: {
        endpointId,
        workspaceId: seed.workspaceId,
        type: 'run.failed',
        status: 'delivered',
        occurredAt: days(31),
      },
    });
    expect(await tidyEventDeliveries(db, 100)).toBe(8);
    const count = (of: string, status: 'pending' | 'failed') =>
      db.eventDelivery.count({ where: { endpointId: of, status } });
    expect([await count(disabled, 'failed'), await count(slow, 'failed')]).toEqual([3, 2]);
    expect([await count(endpointId, 'pending'), await db.eventDelivery.count()]).toEqual([1, 6]);
  });
});

import {
  addCallbackLanes,
  type AttemptResult,
  type Checkpoint,
  type Claim,
  claimExecutions,
  createDatabase,
  type Database,
  leaseEventLanes,
  recordEventAttempts,
  releaseEventLanes,
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
import { chain, createTestDatabase, type Seed, seedWorkflow, stopAll, stopLater } from '../../harness/index.ts';

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

const HOLDER = uuidv7();
const LEASE = { leaseMs: 30_000, renewBelowMs: 20_000 };
const idOf = ({ endpointId: id }: { readonly endpointId: string }) => id;
const lease = (holder = HOLDER) => leaseEventLanes(db, { holder, ...LEASE });

/** Leases what is due and takes of each lane. @returns what was taken, lane by lane. */
async function take({ holder = HOLDER, room = 100, held = [] as readonly string[] } = {}): Promise<TakenDelivery[]> {
  await lease(holder);
  const lanes = await db.eventEndpoint.findMany({ where: { leaseHolder: holder }, orderBy: { id: 'asc' } });
  const requests = lanes.map(({ id }) => ({ endpointId: id, room, held }));
  const taken = await takeEventDeliveries(db, { holder, lanes: requests, minLeftMs: 16_000 });
  return taken.flatMap(({ deliveries }) => deliveries);
}

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
  it('is for one process at a time, until its lease ends or it releases the lanes', async () => {
    const other = await addEndpoint();
    await emit(3);
    await emit(2, other);
    const holders = [uuidv7(), uuidv7(), uuidv7()];
    const leased = (await Promise.all(holders.map(lease))).flat().map(idOf);
    expect(leased.toSorted()).toEqual([endpointId, other].toSorted());
    for (const holder of holders) await releaseEventLanes(db, holder);
    expect(await take()).toHaveLength(5);
    const [next] = holders;
    expect(await take({ holder: next })).toEqual([]);
    await db.eventEndpoint.update({ where: { id: other }, data: { leasedUntil: new Date(0) } });
    expect((await take({ holder: next })).map(idOf)).toEqual([other, other]);
    await releaseEventLanes(db, HOLDER);
    expect(await take({ holder: next })).toHaveLength(5);
  });

  it('begins with a lease that is long enough, which its holder renews in time', async () => {
    await emit(1);
    const left = async () => (await lease()).map(({ leftMs }) => leftMs);
    const setLeft = (ms: number) =>
      db.eventEndpoint.update({ where: { id: endpointId }, data: { leasedUntil: new Date(Date.now() + ms) } });
    expect(await left()).toEqual([30_000]);
    await setLeft(25_000);
    const [before] = await left();
    expect(before).toBeLessThanOrEqual(25_500);
    await setLeft(15_000);
    const lanes = [{ endpointId, room: 1, held: [] }];
    expect(await takeEventDeliveries(db, { holder: HOLDER, lanes, minLeftMs: 16_000 })).toEqual([]);
    expect(await left()).toEqual([30_000]);
    expect(await takeEventDeliveries(db, { holder: HOLDER, lanes, minLeftMs: 16_000 })).toHaveLength(1);
    expect(await takeEventDeliveries(db, { holder: uuidv7(), lanes, minLeftMs: 16_000 })).toEqual([]);
  });

  it('leaves out what its process holds already, and leases no lane without due events', async () => {
    await emit(3);
    const [first] = await take();
    expect((await take({ held: [first?.id ?? ''] })).map(({ id }) => id)).not.toContain(first?.id);
    await releaseEventLanes(db, HOLDER);
    await db.eventDelivery.updateMany({ data: { nextAttemptAt: new Date(Date.now() + 60_000) } });
    expect(await lease()).toEqual([]);
  });

  it('waits for no lane that another transaction has locked', async () => {
    const other = await addEndpoint();
    await emit(1);
    await emit(1, other);
    await db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT id FROM event_endpoints WHERE id = ${endpointId}::uuid FOR UPDATE`;
      expect((await lease()).map(idOf)).toEqual([other]);
    });
  });

  it('keeps the events of a run in order, also while one waits for its next attempt', async () => {
    const [executionId, other] = [uuidv7(), uuidv7()];
    await emit(2, endpointId, executionId);
    await emit(1, endpointId, other);
    const [first, ...others] = await take();
    expect(others.map((delivery) => delivery.executionId)).toEqual([other]);
    const held = [first, ...others].map((delivery) => delivery?.id ?? '');
    expect(await take({ held })).toEqual([]);
    await recordEventAttempts(
      db,
      others.map((each) => resultOf(each, 'delivered')),
    );
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

  it('says whether events are due once an attempt of an earlier event of their run is recorded', async () => {
    const executionId = uuidv7();
    await emit(2, endpointId, executionId);
    const [first] = await take();
    if (!first) throw new Error('nothing was taken');
    const read = async (held: readonly string[]) => {
      const [lane] = await takeEventDeliveries(db, {
        holder: HOLDER,
        lanes: [{ endpointId, room: 100, held }],
        minLeftMs: 16_000,
      });
      return [lane?.deliveries.length ?? 0, lane?.hasBlocked ?? false];
    };
    expect(await read([])).toEqual([1, true]);
    expect(await read([first.id])).toEqual([0, true]);
    await recordEventAttempts(db, [resultOf(first, 'delivered')]);
    expect(await read([])).toEqual([1, false]);
    await makeDue();
    await emit(1, endpointId, executionId);
    const [second] = await take();
    if (second) await recordEventAttempts(db, [resultOf(second, 'retry', 3_600_000)]);
    expect(await read([])).toEqual([0, false]);
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
  });

  it('gives an endpoint no more than asked for, the earliest first', async () => {
    const other = await addEndpoint();
    await emit(10);
    await emit(2, other);
    const taken = await take({ room: 4 });
    const first = await db.eventDelivery.findMany({ where: { endpointId }, orderBy: { seq: 'asc' }, take: 4 });
    expect(taken.filter((delivery) => delivery.endpointId === endpointId).map(({ id }) => id)).toEqual(
      first.map(({ id }) => id),
    );
    expect(taken).toHaveLength(6);
  });
});

describe('recording an attempt', () => {
  it('late: a success counts, a failure does not change what another process recorded meanwhile', async () => {
    await emit(2);
    const [first, second] = await take();
    if (!first || !second) throw new Error('nothing was taken');
    await recordEventAttempts(db, [resultOf(first, 'retry'), resultOf(second, 'retry')]);
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

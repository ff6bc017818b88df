import {
  claimExecutions,
  createDatabase,
  type Database,
  failBlockedRun,
  findRunsOfWorkers,
  recoverRuns,
  wakeDueRuns,
} from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { chain, createTestDatabase, type Seed, seedWorkflow, stopAll, stopLater } from '../../harness/index.ts';

let db: Database;
let seed: Seed;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
});
afterAll(stopAll);

const read = (id: string) => db.execution.findUniqueOrThrow({ where: { id } });

async function claimAll(ids: readonly string[], workerId: string): Promise<void> {
  const runs = await Promise.all(ids.map(read));
  const requests = runs.map(({ id, dispatchSeq: dispatch }) => ({ executionId: id, dispatch, token: uuidv7() }));
  expect(await claimExecutions(db, requests, workerId)).toHaveLength(ids.length);
}

/** Loses the worker of a run once. `blockingRun`: as its last heartbeat said. */
async function lose(id: string, blockingRun: string | null) {
  const workerId = uuidv7();
  await db.execution.updateMany({ where: { id, wakeAt: { not: null } }, data: { wakeAt: new Date(0) } });
  await wakeDueRuns(db, [id]);
  await claimAll([id], workerId);
  return recoverRuns(db, [{ id: workerId, blockingRun }], [id]);
}

describe('a run that loses its worker again and again', () => {
  it('is dispatched at once, then after growing delays, and then fails with a code of its own', async () => {
    const id = await seed.accept();
    const fates: unknown[] = [];
    for (let loss = 1; loss <= 6; loss += 1) {
      const before = Date.now();
      const { dispatched, delayed, failed } = await lose(id, id);
      const { wakeAt, status } = await read(id);
      const delay = wakeAt === null ? 0 : Math.round((wakeAt.getTime() - before) / 1_000);
      fates.push([dispatched.length, delayed.length, failed.length, delay, status]);
    }
    expect(fates).toEqual([
      [1, 0, 0, 0, 'running'],
      [1, 0, 0, 0, 'running'],
      [0, 1, 0, 10, 'running'],
      [0, 1, 0, 60, 'running'],
      [0, 1, 0, 300, 'running'],
      [0, 0, 1, 0, 'failed'],
    ]);
    const { error, workerId, finishedAt } = await read(id);
    expect(JSON.parse(error ?? '')).toMatchObject({ code: 'RUN_LOST_TOO_OFTEN' });
    expect([workerId, finishedAt]).toEqual([null, expect.any(Date)]);
  });

  it('loses it for nothing where another run occupied the worker', async () => {
    const id = await seed.accept();
    for (let loss = 1; loss <= 8; loss += 1) expect((await lose(id, uuidv7())).dispatched).toHaveLength(1);
    expect(await read(id)).toMatchObject({ losses: 0, status: 'running' });
  });

  it('is counted where nobody knows what occupied the worker', async () => {
    const id = await seed.accept();
    await lose(id, null);
    expect(await read(id)).toMatchObject({ losses: 1 });
  });
});

describe('the runs of a lost worker', () => {
  it('that a person paused rest', async () => {
    const [id, workerId] = [await seed.accept(), uuidv7()];
    await claimAll([id], workerId);
    await db.execution.update({ where: { id }, data: { status: 'paused', losses: 9 } });
    expect(await recoverRuns(db, [{ id: workerId, blockingRun: null }], [id])).toMatchObject({
      paused: [id],
      dispatched: [],
    });
    expect(await read(id)).toMatchObject({ status: 'paused', workerId: null, wakeAt: null });
  });

  it('are recovered once, by whoever comes first, and those of other workers stay', async () => {
    const [workerId, other] = [uuidv7(), uuidv7()];
    const ids = await Promise.all(Array.from({ length: 20 }, () => seed.accept()));
    await claimAll(ids.slice(1), workerId);
    await claimAll(ids.slice(0, 1), other);
    const lost = [{ id: workerId, blockingRun: null }];
    const calls = await Promise.all([1, 2, 3].map(() => recoverRuns(db, lost, ids)));
    const dispatched = calls.flatMap((call) => call.dispatched.map(({ executionId }) => executionId));
    expect(dispatched.sort()).toEqual(ids.slice(1).sort());
    expect(await read(String(ids[0]))).toMatchObject({ workerId: other });
  });

  it('are taken in bounded batches', async () => {
    const workerId = uuidv7();
    const ids = await Promise.all([1, 2, 3].map(() => seed.accept()));
    await claimAll(ids, workerId);
    const lost = [{ id: workerId, blockingRun: null }];
    for (const expected of [2, 1]) {
      const page = await findRunsOfWorkers(db, [workerId], { limit: 2, except: [] });
      expect((await recoverRuns(db, lost, page)).dispatched).toHaveLength(expected);
    }
  });
});

describe('a run that blocks its worker for too long', () => {
  const fail = (executionId: string) => failBlockedRun(db, { executionId, blockedMs: 30_000 });

  async function claimed(): Promise<string> {
    const id = await seed.accept();
    await claimAll([id], uuidv7());
    return id;
  }

  async function addNode(executionId: string, finishedSecondsAgo: number): Promise<void> {
    const finishedAt = new Date(Date.now() - finishedSecondsAgo * 1_000);
    await db.nodeRun.create({ data: { executionId, nodeId: 'a', status: 'success', finishedAt } });
  }

  it('fails, whoever holds it, and its worker writes nothing more', async () => {
    const id = await claimed();
    await addNode(id, 40);
    const { epoch } = await read(id);
    expect(await fail(id)).toBe(true);
    const { status, error, workerId, epoch: raised } = await read(id);
    expect({ status, workerId, raised }).toEqual({ status: 'failed', workerId: null, raised: epoch + 1 });
    expect(JSON.parse(error ?? '')).toMatchObject({ code: 'RUN_BLOCKED_WORKER' });
    expect(await fail(id)).toBe(false);
  });

  it('fails also if no checkpoint has claimed it yet', async () => {
    const id = await seed.accept();
    expect(await fail(id)).toBe(true);
    expect((await read(id)).status).toBe('failed');
  });

  it('continues if it has finished a node since, on another worker', async () => {
    const id = await claimed();
    await addNode(id, 5);
    expect(await fail(id)).toBe(false);
    expect((await read(id)).status).toBe('running');
  });

  it.each(['paused', 'waiting_for_input'] as const)('stays as it is when it is %s', async (status) => {
    const id = await claimed();
    await db.execution.update({ where: { id }, data: { status } });
    expect(await fail(id)).toBe(false);
    expect((await read(id)).status).toBe(status);
  });
});

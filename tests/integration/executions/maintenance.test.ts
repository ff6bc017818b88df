import {
  claimExecutions,
  createDatabase,
  type Database,
  findDueRuns,
  findOverdueRuns,
  findOwnedRuns,
  findRunsOfWorkers,
  findUnclaimed,
  findUnindexedRuns,
  indexExecutions,
  pruneData,
  pruneRuns,
  recoverRuns,
  timeOutRuns,
  wakeDueRuns,
} from '@deckhand/db';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { chain, createTestDatabase, type Seed, seedWorkflow, stopAll, stopLater } from '../../harness/index.ts';

const GRACE_MS = 10_000;
const ALL = { limit: 1_000, except: [] };

let db: Database;
let seed: Seed;
let worker: string;

beforeAll(async () => {
  db = createDatabase({ url: (await createTestDatabase()).url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
});
afterAll(stopAll);
beforeEach(async () => {
  await db.execution.deleteMany();
  seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } }));
  worker = uuidv7();
});

const secondsAgo = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);
const read = (id: string) => db.execution.findUniqueOrThrow({ where: { id } });
const update = (id: string, data: Parameters<typeof db.execution.update>[0]['data']) =>
  db.execution.update({ where: { id }, data });

async function held(): Promise<string> {
  const id = await seed.accept();
  await claimExecutions(db, [{ executionId: id, dispatch: 1, token: uuidv7() }], worker);
  return id;
}

describe('runs past their deadline', () => {
  it('are ended at once where they rest, after a grace period where a worker holds them', async () => {
    const [resting, fresh, overdue, early] = [await seed.accept(), await held(), await held(), await held()];
    await update(resting, { deadlineAt: secondsAgo(1) });
    await update(fresh, { deadlineAt: secondsAgo(5) });
    await update(overdue, { deadlineAt: secondsAgo(11), currentNodeId: 'a' });
    expect((await findOverdueRuns(db, { ...ALL, graceMs: GRACE_MS })).sort()).toEqual([resting, overdue].sort());

    const ended = await timeOutRuns(db, [resting, fresh, overdue, early], GRACE_MS);
    expect(new Map(ended.map(({ executionId, workerId }) => [executionId, workerId]))).toEqual(
      new Map([
        [resting, null],
        [overdue, worker],
      ]),
    );
    expect(await read(overdue)).toMatchObject({ status: 'timeout', workerId: null, epoch: 2, currentNodeId: null });
    expect(JSON.parse((await read(overdue)).error ?? '')).toMatchObject({ code: 'EXECUTION_TIMEOUT', nodeId: 'a' });
    for (const id of [fresh, early]) expect(await read(id)).toMatchObject({ status: 'running', epoch: 1 });
  });

  it('are ended when the time for which workers may hold them is used up, after the same grace period', async () => {
    const [fresh, overdue, resting] = [await held(), await held(), await held()];
    await update(fresh, { heldUntil: secondsAgo(5) });
    await update(overdue, { heldUntil: secondsAgo(11) });
    await update(resting, { heldUntil: secondsAgo(11), workerId: null });
    expect(await findOverdueRuns(db, { ...ALL, graceMs: GRACE_MS })).toEqual([overdue]);
    expect(await timeOutRuns(db, [fresh, overdue, resting], GRACE_MS)).toEqual([
      { executionId: overdue, workerId: worker },
    ]);
  });

  it('leave no node and no iteration running', async () => {
    const id = await held();
    const row = { executionId: id, status: 'running', attempts: 1, outputBytes: 0 } as const;
    await db.nodeRun.create({ data: { ...row, nodeId: 'a' } });
    await db.nodeIteration.create({ data: { ...row, nodeId: 'b', iteration: '0' } });
    await update(id, { deadlineAt: secondsAgo(60) });
    await timeOutRuns(db, [id], GRACE_MS);
    expect(await db.nodeRun.findMany({ where: { executionId: id } })).toMatchObject([{ status: 'stopped' }]);
    expect(await db.nodeIteration.findMany({ where: { executionId: id } })).toMatchObject([{ status: 'stopped' }]);
  });

  it('are found whatever stands before them', async () => {
    const [a, b] = [await seed.accept(), await seed.accept()];
    await update(a, { deadlineAt: secondsAgo(9) });
    await update(b, { deadlineAt: secondsAgo(5) });
    expect(await findOverdueRuns(db, { limit: 1, except: [], graceMs: 0 })).toEqual([a]);
    expect(await findOverdueRuns(db, { limit: 1, except: [a], graceMs: 0 })).toEqual([b]);
  });
});

describe('resting runs', () => {
  it('are woken once their time has come, and once', async () => {
    const [due, later] = [await held(), await held()];
    await update(due, { workerId: null, wakeAt: secondsAgo(1) });
    await update(later, { workerId: null, wakeAt: secondsAgo(-60) });
    expect(await findDueRuns(db, ALL)).toEqual([due]);
    expect(await wakeDueRuns(db, [due, later])).toMatchObject([{ executionId: due, dispatch: 2 }]);
    expect(await read(due)).toMatchObject({ wakeAt: null, dispatchSeq: 2 });
    expect(await wakeDueRuns(db, [due, later])).toEqual([]);
    expect(await findDueRuns(db, ALL)).toEqual([]);
  });

  it('are not woken while they are paused', async () => {
    const id = await held();
    await update(id, { workerId: null, wakeAt: secondsAgo(1), status: 'paused' });
    expect(await findDueRuns(db, ALL)).toEqual([]);
    expect(await wakeDueRuns(db, [id])).toEqual([]);
  });
});

describe('runs of dead workers', () => {
  it('are dispatched again, paused ones rest, and those of others are left alone', async () => {
    const [running, paused] = [await held(), await held()];
    await update(paused, { status: 'paused' });
    const dead = worker;
    worker = uuidv7();
    const other = await held();
    const ids = await findRunsOfWorkers(db, [dead], ALL);
    expect(ids.sort()).toEqual([running, paused].sort());
    const recovered = await recoverRuns(db, [{ id: dead, blockingRun: null }], [...ids, other]);
    expect(recovered).toMatchObject({ dispatched: [{ executionId: running, dispatch: 2 }], paused: [paused] });
    expect(await read(running)).toMatchObject({ workerId: null, status: 'running' });
    expect(await read(paused)).toMatchObject({ workerId: null, status: 'paused', dispatchSeq: 1 });
    expect(await read(other)).toMatchObject({ workerId: worker, dispatchSeq: 1 });
  });
});

describe('runs that nobody claimed', () => {
  it('are each found once page by page, also those of the same moment', async () => {
    const ids: string[] = [];
    while (ids.length < 7) ids.push(await seed.accept());
    const at = secondsAgo(60);
    await db.execution.updateMany({ where: { id: { in: ids.slice(0, 5) } }, data: { dispatchedAt: at } });
    await db.execution.updateMany({ where: { id: { in: ids.slice(5) } }, data: { dispatchedAt: secondsAgo(30) } });
    const found: string[] = [];
    let after: Awaited<ReturnType<typeof findUnclaimed>>[number] | undefined;
    for (;;) {
      const page = await findUnclaimed(db, { olderThanMs: 1_000, limit: 2, after });
      found.push(...page.map(({ executionId }) => executionId));
      after = page.at(-1);
      if (!after) break;
    }
    expect(found).toEqual([...ids.slice(0, 5).sort(), ...ids.slice(5).sort()]);
  });
});

describe('the runs that a worker owns', () => {
  it('are those that run or are paused, with their epochs', async () => {
    const [running, paused, resting] = [await held(), await held(), await held()];
    await update(paused, { status: 'paused', epoch: 4 });
    await update(resting, { workerId: null });
    await update(await held(), { workerId: uuidv7() });
    const owned = await findOwnedRuns(db, worker);
    expect(new Map(owned.map(({ executionId, epoch }) => [executionId, epoch]))).toEqual(
      new Map([
        [running, 1],
        [paused, 4],
      ]),
    );
  });
});

describe('the searchable text of one run', () => {
  it('is limited: it contains the first nodes that started, and omits later ones', async () => {
    const id = await held();
    const nodes = Array.from({ length: 200 }, (_, n) => ({
      executionId: id,
      nodeId: `n${n}`,
      status: 'success' as const,
      startedAt: new Date(Date.now() + n),
      attempts: 1,
      output: JSON.stringify(`mark-${n}. ${'x'.repeat(60_000)}`),
      outputBytes: 60_020,
    }));
    await db.nodeRun.createMany({ data: nodes });
    await db.$executeRaw`UPDATE executions
      SET status = 'success', finished_at = now(), worker_id = NULL WHERE id = ${id}::uuid`;
    await db.$executeRaw`INSERT INTO unindexed_executions (execution_id) VALUES (${id}::uuid) ON CONFLICT DO NOTHING`;
    const runs = await findUnindexedRuns(db, ALL);
    await indexExecutions(
      db,
      runs.map((run) => run.id),
    );
    const [row] = await db.$queryRaw<{ text: string }[]>`
      SELECT text FROM execution_texts WHERE execution_id = ${id}::uuid`;
    const text = row?.text ?? '';
    expect(text.length).toBeLessThanOrEqual(1_048_576);
    expect(text.length).toBeGreaterThan(1_000_000);
    expect(text).toContain('mark-16.');
    expect(text).not.toContain('mark-100.');
  });
});

describe('retention', () => {
  const ended = async () => {
    const id = await seed.accept({ word: 'sesame' });
    await update(id, { status: 'success', finishedAt: secondsAgo(60) });
    await db.unindexedExecution.create({ data: { executionId: id } });
    return id;
  };

  it('takes no run that is being indexed, whose text would come back', async () => {
    const id = await ended();
    await db.$transaction(async (tx) => {
      const within = new Proxy(db, { get: (of, name): unknown => Reflect.get(name in tx ? tx : of, name) });
      await indexExecutions(within, [id]);
      expect(await pruneData(db, [id])).toBe(0);
      await tx.execution.update({ where: { id }, data: { triggerData: null } });
      expect(await pruneRuns(db, [id])).toBe(0);
    });
    expect(await db.executionText.count({ where: { executionId: id } })).toBe(1);
    await update(id, { triggerData: '{"word":"sesame"}' });
    expect(await pruneData(db, [id])).toBe(1);
    expect(await db.executionText.count({ where: { executionId: id } })).toBe(0);
  });

  it('takes one that waits for its index', async () => {
    const id = await ended();
    expect(await pruneData(db, [id])).toBe(1);
    expect(await pruneRuns(db, [id])).toBe(1);
    expect(await db.unindexedExecution.count({ where: { executionId: id } })).toBe(0);
  });
});

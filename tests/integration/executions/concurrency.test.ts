import {
  claimExecutions,
  claimLimited,
  countHeldBack,
  countHeldRuns,
  createDatabase,
  type Database,
  findUnclaimed,
  findWorkspacesHeldBack,
  pauseExecution,
  releaseExecutions,
  releaseHeldBack,
  releaseHeldBackOf,
  resumeExecution,
  stopExecution,
  recoverRuns,
  timeOutRuns,
} from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { chain, createTestDatabase, type Seed, seedWorkflow, stopAll, stopLater } from '../../harness/index.ts';

let db: Database;
const worker = uuidv7();
const NIL = '00000000-0000-0000-0000-000000000000';

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 10 });
  stopLater({ stop: () => db.$disconnect() });
});
afterAll(stopAll);

interface Limits {
  readonly ofWorkflow?: number | null;
  readonly ofWorkspace?: number | null;
}

async function limit(seed: Pick<Seed, 'workflowId' | 'workspaceId'>, { ofWorkflow, ofWorkspace }: Limits) {
  if (ofWorkflow !== undefined) {
    await db.workflow.update({ where: { id: seed.workflowId }, data: { maxConcurrentExecutions: ofWorkflow } });
  }
  if (ofWorkspace !== undefined) {
    await db.workspace.update({ where: { id: seed.workspaceId }, data: { maxConcurrentExecutions: ofWorkspace } });
  }
}

async function seedLimited(limits: Limits): Promise<Seed> {
  const seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
  await limit(seed, limits);
  return seed;
}

/** Accepts runs one after another, so that their ids are in the order of time. */
async function acceptMany(seed: Seed, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await seed.accept());
  return ids;
}

/** Claims runs as a worker does. @returns their ids. */
async function claim(ids: readonly string[], workerId = worker): Promise<string[]> {
  const rows = await db.execution.findMany({ where: { id: { in: [...ids] } } });
  const requests = rows.map(({ id, dispatchSeq: dispatch }) => ({ executionId: id, dispatch, token: uuidv7() }));
  const got = await claimExecutions(db, requests, workerId);
  const left = requests.filter(({ executionId }) => !got.some(({ id }) => id === executionId));
  const limited = left.length === 0 ? [] : (await claimLimited(db, left, workerId)).claimed;
  return [...got, ...limited].map(({ id }) => id).sort();
}

/** Finishes a run as a worker does. */
const finish = (id: string) =>
  db.execution.update({ where: { id }, data: { status: 'success', finishedAt: new Date(), workerId: null } });
const read = (id: string) => db.execution.findUniqueOrThrow({ where: { id } });
const release = async (seed: Seed) => (await releaseHeldBack(db, [seed])).map(({ executionId }) => executionId);
const held = (seed: Seed) => db.execution.count({ where: { workspaceId: seed.workspaceId, workerId: { not: null } } });

/** A database whose transactions stop after their first statement until `thaw`, as in a suspended process. */
function freezeAfterLock(real: Database) {
  let locked = (): void => undefined;
  let thaw = (): void => undefined;
  const hasLock = new Promise<void>((resolve) => (locked = resolve));
  const thawed = new Promise<void>((resolve) => (thaw = resolve));
  type Act = Parameters<Database['$transaction']>[0];
  const frozen = new Proxy(real, {
    get(target, name) {
      if (name !== '$transaction') return Reflect.get(target, name);
      return (act: Act) =>
        target.$transaction(async (tx) => {
          let statements = 0;
          const slow = new Proxy(tx, {
            get(inner, member) {
              if (member !== '$queryRaw') return Reflect.get(inner, member);
              return async (...args: Parameters<typeof inner.$queryRaw>) => {
                statements += 1;
                if (statements > 1) await thawed;
                const rows = await inner.$queryRaw(...args);
                locked();
                return rows;
              };
            },
          });
          return act(slow);
        });
    },
  });
  return { frozen, hasLock, thaw: () => thaw() };
}

describe('a limit of runs at once', () => {
  it.each<[string, Limits]>([
    ['a workflow', { ofWorkflow: 2 }],
    ['a workspace', { ofWorkspace: 2 }],
    ['both', { ofWorkflow: 2, ofWorkspace: 5 }],
  ])('of %s lets the oldest be claimed, and the next when one ends', async (_, limits) => {
    const seed = await seedLimited(limits);
    const [a, b, c, d] = await acceptMany(seed, 4);
    expect(await claim([d, c, b, a].map(String))).toEqual([a, b]);
    expect(await read(String(c))).toMatchObject({ status: 'pending', startedAt: null, workerId: null });
    expect(await release(seed)).toEqual([]);

    await finish(String(a));
    expect(await release(seed)).toEqual([c]);
    expect(await release(seed)).toEqual([]);
    expect(await claim([String(c)])).toEqual([c]);
    expect(await held(seed)).toBe(2);
  });

  it('is exact among workers that claim at once', async () => {
    const seed = await seedLimited({ ofWorkflow: 3 });
    const ids = await acceptMany(seed, 40);
    const got = await Promise.all(ids.map((id) => claim([id], uuidv7())));
    expect(got.flat()).toHaveLength(3);
    expect(await held(seed)).toBe(3);
  });

  it('keeps its turn for an older run that was sent out, whoever comes first', async () => {
    const seed = await seedLimited({ ofWorkflow: 1 });
    const [a, b, c] = await acceptMany(seed, 3);
    await claim([String(a), String(b)]);
    await finish(String(a));
    expect(await release(seed)).toEqual([b]);
    expect(await claim([String(c)])).toEqual([]);
    expect(await claim([String(b)])).toEqual([b]);
  });

  it('sends out an older run when a younger one asks for the slot', async () => {
    const seed = await seedLimited({ ofWorkflow: 1 });
    const [a, b, c] = (await acceptMany(seed, 3)).map(String);
    await claim([String(a), String(b)]);
    await finish(String(a));
    const { claimed, dispatched } = await claimLimited(
      db,
      [{ executionId: String(c), dispatch: 1, token: uuidv7() }],
      worker,
    );
    expect([claimed, dispatched]).toEqual([
      [],
      [{ workspaceId: seed.workspaceId, executionId: b, dispatch: 2, priority: null }],
    ]);
  });

  it('of a workflow delays no other workflow of a limited workspace', async () => {
    const seed = await seedLimited({ ofWorkflow: 1, ofWorkspace: 2 });
    const other = await db.workflow.create({
      data: { id: uuidv7(), workspaceId: seed.workspaceId, name: 'Other' },
    });
    const [a, b, c, d] = (await acceptMany(seed, 4)).map(String);
    await db.execution.updateMany({ where: { id: { in: [String(c), String(d)] } }, data: { workflowId: other.id } });
    expect(await claim([a, b, c, d].map(String))).toEqual([a, c]);
    await finish(String(c));
    // The older run belongs to the full workflow and is passed over; the free slot goes to the other workflow.
    expect(await release(seed)).toEqual([d]);
  });

  it('holds runs back without giving them up: they can be stopped, and time out', async () => {
    const seed = await seedLimited({ ofWorkflow: 1 });
    const [a, b, c] = (await acceptMany(seed, 3)).map(String);
    await claim([a, b, c].map(String));
    await stopExecution(db, { userId: seed.userId, boundTo: null }, String(b));
    await db.execution.update({ where: { id: String(c) }, data: { deadlineAt: new Date(0) } });
    expect(await timeOutRuns(db, [String(c)], 0)).toEqual([{ executionId: c, workerId: null }]);
    await finish(String(a));
    expect(await release(seed)).toEqual([]);
    expect(await findWorkspacesHeldBack(db, NIL, 100)).not.toContain(seed.workspaceId);
  });

  it('passes by a paused run, which waits for its turn once it is resumed', async () => {
    const seed = await seedLimited({ ofWorkflow: 1 });
    const actor = { userId: seed.userId, boundTo: null };
    const [a, b, c] = (await acceptMany(seed, 3)).map(String);
    await claim([a, b, c].map(String));
    await pauseExecution(db, actor, String(b));
    await finish(String(a));
    expect(await release(seed)).toEqual([c]);
    await resumeExecution(db, actor, String(b));
    // It is older, so it is next, and the other waits again.
    expect(await claim([String(b)])).toEqual([b]);
    expect(await claim([String(c)])).toEqual([]);
  });

  it('is the same for a run that comes back from rest', async () => {
    const seed = await seedLimited({ ofWorkflow: 1 });
    const [a, b] = (await acceptMany(seed, 2)).map(String);
    await claim([String(a)]);
    await db.execution.update({
      where: { id: String(a) },
      data: { workerId: null, dispatchSeq: 2, dispatchedAt: new Date() },
    });
    expect(await claim([String(b)])).toEqual([b]);
    expect(await claim([String(a)])).toEqual([]);
    expect(await read(String(a))).toMatchObject({ status: 'running', workerId: null, heldBackAt: expect.any(Date) });
    await finish(String(b));
    expect(await release(seed)).toEqual([a]);
    expect(await claim([String(a)])).toEqual([a]);
    expect(await read(String(a))).toMatchObject({ heldBackAt: null });
  });

  it('is free again when the holder is dead, and when it gives its run back', async () => {
    const seed = await seedLimited({ ofWorkflow: 1 });
    const [a, b] = (await acceptMany(seed, 2)).map(String);
    const dead = uuidv7();
    await claim([a, b].map(String), dead);
    await recoverRuns(db, [{ id: dead, blockingRun: null }], [String(a)]);
    expect(await claim([String(a)])).toEqual([a]);
    expect(await release(seed)).toEqual([]);
    const { workerId, claimToken } = await read(String(a));
    await releaseExecutions(db, String(workerId), [{ executionId: String(a), epoch: 2, token: String(claimToken) }]);
    expect(await claim([String(a)])).toEqual([a]);
    expect(await held(seed)).toBe(1);
  });

  it('does not wait for a worker that freezes in the middle of its claim', async () => {
    const seed = await seedLimited({ ofWorkflow: 1 });
    const [a, b] = (await acceptMany(seed, 2)).map(String);
    const { frozen, hasLock, thaw } = freezeAfterLock(db);
    const late = claimLimited(frozen, [{ executionId: String(a), dispatch: 1, token: uuidv7() }], uuidv7()).then(
      () => 'claimed',
      () => 'refused',
    );
    await hasLock;
    expect(await claim([String(b)])).toEqual([b]);
    thaw();
    expect(await late).toBe('refused');
    expect(await held(seed)).toBe(1);
  });

  it('may be asked for again by the worker that never got its answer', async () => {
    const seed = await seedLimited({ ofWorkflow: 1 });
    const [a, b] = (await acceptMany(seed, 2)).map(String);
    const requests = [a, b].map((id) => ({ executionId: String(id), dispatch: 1, token: uuidv7() }));
    await claimLimited(db, requests, worker);
    const again = await claimLimited(db, requests, worker);
    expect(again.claimed.map(({ id, epoch }) => [id, epoch])).toEqual([[a, 2]]);
    const others = requests.map((request) => ({ ...request, token: uuidv7() }));
    expect((await claimLimited(db, others, worker)).claimed).toEqual([]);
  });
});

describe('runs that are held back', () => {
  it('are found by nobody who looks for lost jobs until they are sent out', async () => {
    const seed = await seedLimited({ ofWorkflow: 1 });
    const [a, b] = (await acceptMany(seed, 2)).map(String);
    await claim([a, b].map(String));
    const unclaimed = async () =>
      (await findUnclaimed(db, { olderThanMs: -1_000, limit: 1_000 })).map(({ executionId }) => executionId);
    expect(await unclaimed()).not.toContain(b);
    await finish(String(a));
    await release(seed);
    expect(await unclaimed()).toContain(b);
  });

  it('are counted, and continue when the limit is raised or removed', async () => {
    const seed = await seedLimited({ ofWorkflow: 1, ofWorkspace: 1 });
    const ids = await acceptMany(seed, 6);
    const before = await countHeldBack(db);
    await claim(ids);
    expect((await countHeldBack(db)) - before).toBe(5);
    expect(await findWorkspacesHeldBack(db, NIL, 100)).toContain(seed.workspaceId);
    const go = async () => (await releaseHeldBackOf(db, [seed.workspaceId])).map(({ executionId }) => executionId);
    expect(await go()).toEqual([]);
    await limit(seed, { ofWorkflow: 3, ofWorkspace: null });
    expect((await go()).sort()).toEqual(ids.slice(1, 3));
    expect(await go()).toEqual([]);
    await limit(seed, { ofWorkflow: null });
    expect((await go()).sort()).toEqual(ids.slice(3));
    expect(await claim(ids.slice(1))).toEqual(ids.slice(1));
    expect((await countHeldBack(db)) - before).toBe(0);
  });
});

describe('a limit that is set while runs are held', () => {
  it('counts them, and lets none in before enough of them have ended', async () => {
    const seed = await seedLimited({});
    const ids = await acceptMany(seed, 5);
    await claim(ids.slice(0, 3));
    await limit(seed, { ofWorkflow: 2 });
    await countHeldRuns(db);
    expect(await claim(ids.slice(3))).toEqual([]);
    await finish(String(ids[0]));
    expect(await release(seed)).toEqual([]);
    await finish(String(ids[1]));
    expect(await release(seed)).toEqual([ids[3]]);
  });
});

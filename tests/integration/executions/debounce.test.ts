import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Concurrency, type Debounce, parseOwnJson } from '@deckhand/contracts';
import {
  claimExecutions,
  createDatabase,
  type Database,
  pauseExecution,
  pruneDebounces,
  startRuns,
  stopExecution,
  wakeDueRuns,
} from '@deckhand/db';
import { v7 as uuidv7 } from 'uuid';
import {
  chain,
  countLockWaits,
  createRandom,
  createTestDatabase,
  type Seed,
  seedWorkflow,
  stopAll,
  stopLater,
  UNCOUNTED,
  until,
} from '../../harness/index.ts';

let db: Database;
let seed: Seed;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 10 });
  stopLater({ stop: () => db.$disconnect() });
  seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
});
afterAll(stopAll);

interface Start {
  readonly input?: object;
  readonly id?: string;
  readonly userId?: string;
  readonly timeoutSeconds?: number;
  readonly tags?: readonly string[];
  readonly expiresAfter?: number;
  readonly concurrency?: Concurrency;
}

const HOUR = 3_600;
const actor = () => ({ userId: seed.userId, boundTo: null });
const key = () => uuidv7();
const request = (debounce: Debounce, { input = {}, id = uuidv7(), userId = seed.userId, ...options }: Start = {}) =>
  ({
    executionId: id,
    workflowId: seed.workflowId,
    actor: { userId, boundTo: null },
    triggerNodeId: null,
    mode: 'normal',
    source: 'api',
    triggerData: JSON.stringify(input),
    options: JSON.stringify({ ...options, debounce }),
  }) as const;

/** Starts a run. @returns the id of the run that the start is part of. */
async function start(debounce: Debounce, options: Start = {}) {
  const asked = request(debounce, options);
  const [verdict] = await startRuns(db, [asked], UNCOUNTED);
  if (verdict?.kind !== 'accepted') throw new Error(`not accepted: ${verdict?.kind ?? ''}`);
  const { joined } = verdict;
  return { runId: joined?.executionId ?? asked.executionId, isJoined: joined !== undefined, verdict };
}

const read = (id: string) => db.execution.findUniqueOrThrow({ where: { id } });
const readInput = async (id: string) => parseOwnJson<object>((await read(id)).triggerData ?? 'null');
const secondsFrom = (time: Date | null) => ((time?.getTime() ?? NaN) - Date.now()) / 1_000;
/** Lets time pass for a key and its run. */
async function pass(of: string, seconds: number) {
  const interval = `${seconds} s`;
  await db.$executeRaw`
    UPDATE executions e SET start_at = start_at - ${interval}::interval, wake_at = wake_at - ${interval}::interval
    FROM debounces d WHERE d.key = ${of} AND e.id = d.execution_id`;
  await db.$executeRaw`
    UPDATE debounces SET first_at = first_at - ${interval}::interval, until = until - ${interval}::interval WHERE key = ${of}`;
}
const wake = async (id: string) => (await wakeDueRuns(db, [id])).map(({ executionId }) => executionId);
const countRuns = (ids: readonly string[]) => new Set(ids).size;

describe('a trailing debounce', () => {
  it('begins a run after the delay, with the input and options of the last start', async () => {
    const of = key();
    const first = await start({ key: of, delay: HOUR }, { input: { n: 1 }, tags: ['a'], timeoutSeconds: 60 });
    expect(first.isJoined).toBe(false);
    const before = await read(first.runId);
    expect(before).toMatchObject({ status: 'pending', dispatchSeq: 1, claimedDispatch: 1 });
    expect(secondsFrom(before.startAt)).toBeCloseTo(HOUR, -1);

    await pass(of, 600);
    const second = await start({ key: of, delay: HOUR }, { input: { n: 2 }, tags: ['b'], expiresAfter: 60 });
    expect(second).toMatchObject({ runId: first.runId, isJoined: true });
    const after = await read(first.runId);
    expect(after).toMatchObject({ triggerData: '{"n":2}', tags: ['b'], dispatchSeq: 1, claimedDispatch: 1 });
    expect(secondsFrom(after.startAt)).toBeCloseTo(HOUR, -1);
    expect(after.wakeAt).toEqual(after.startAt);
    expect(secondsFrom(after.expiresAt)).toBeCloseTo(HOUR + 60, -1);
    expect(after.revision).toBeGreaterThan(before.revision);

    expect(await wake(first.runId)).toEqual([]);
    await pass(of, HOUR + 1);
    expect(await wake(first.runId)).toEqual([first.runId]);
    const third = await start({ key: of, delay: HOUR }, { input: { n: 3 } });
    expect(third.isJoined).toBe(false);
    expect(third.runId).not.toBe(first.runId);
    expect(await readInput(first.runId)).toEqual({ n: 2 });
  });

  it('waits for at most `maxDelay` after the first start', async () => {
    const of = key();
    const debounce = { key: of, delay: 600, maxDelay: 1_000 };
    const { runId } = await start(debounce);
    await pass(of, 500);
    await start(debounce);
    expect(secondsFrom((await read(runId)).startAt)).toBeCloseTo(500, -1);
    await pass(of, 400);
    expect(await start(debounce)).toMatchObject({ runId });
    expect(secondsFrom((await read(runId)).startAt)).toBeCloseTo(100, -1);
    // A shorter delay does not make it begin earlier.
    await start({ ...debounce, delay: 1 });
    expect(secondsFrom((await read(runId)).startAt)).toBeCloseTo(100, -1);
    // From its time on, it may begin at any moment.
    await pass(of, 101);
    expect((await start(debounce)).runId).not.toBe(runId);
  });

  it('is one of the workflow, and of the key', async () => {
    const of = key();
    const { runId } = await start({ key: of, delay: HOUR });
    expect((await start({ key: key(), delay: HOUR })).runId).not.toBe(runId);
    const other = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
    const asked = { ...request({ key: of, delay: HOUR }, { userId: other.userId }), workflowId: other.workflowId };
    expect(await startRuns(db, [asked], UNCOUNTED)).toMatchObject([{ kind: 'accepted', run: { isDelayed: true } }]);
  });

  it('begins another run if the one that waits was stopped or paused', async () => {
    for (const act of [stopExecution, pauseExecution]) {
      const of = key();
      const { runId } = await start({ key: of, delay: HOUR }, { input: { n: 1 } });
      await act(db, actor(), runId);
      expect((await start({ key: of, delay: HOUR }, { input: { n: 2 } })).isJoined).toBe(false);
      expect(await readInput(runId)).toEqual({ n: 1 });
    }
  });

  it('by an incoming event is joined once, although that run has begun before it is tried again', async () => {
    const of = key();
    const debounce = { key: of, delay: HOUR };
    const { runId } = await start(debounce, { input: { n: 1 } });
    const ofEvent = uuidv7();
    const event = { workspaceId: seed.workspaceId, eventId: ofEvent, name: 'a', key: '', data: '1' };
    await db.event.create({ data: { id: ofEvent, ...event } });
    const asked = { ...request(debounce, { input: { n: 2 } }), ofEvent };
    const attempt = async () => (await startRuns(db, [asked], UNCOUNTED, 1_000))[0];
    expect(await attempt()).toMatchObject({ kind: 'accepted', joined: { executionId: runId } });
    await start(debounce, { input: { n: 3 } });
    expect(await attempt()).toMatchObject({ kind: 'accepted', joined: {} });
    expect(await readInput(runId)).toEqual({ n: 3 });
    await pass(of, HOUR + 1);
    expect(await wake(runId)).toEqual([runId]);
    expect(await attempt()).toMatchObject({ kind: 'accepted', joined: {} });
    expect(await db.execution.count({ where: { id: asked.executionId } })).toBe(0);
    // A process that matches the event later than another, which has marked it.
    await db.event.update({ where: { id: ofEvent }, data: { debouncedStarts: [], matchedAt: new Date() } });
    expect(await attempt()).toMatchObject({ kind: 'accepted', joined: {} });
    expect(await db.execution.count({ where: { id: asked.executionId } })).toBe(0);
  });

  it('whose key others have locked holds up no other start, if it need not wait', async () => {
    const [locked, free] = [key(), key()];
    const requests = [locked, free, locked].map((of) => request({ key: of, delay: HOUR }));
    const attempt = async () => (await startRuns(db, requests, UNCOUNTED, 50)).map(({ kind }) => kind);
    await db.$transaction(async (tx) => {
      const name = `debounce of ${seed.workflowId} ${locked}`;
      await tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))::text`;
      expect(await attempt()).toEqual(['busy', 'accepted', 'busy']);
    });
    expect(await attempt()).toEqual(['accepted', 'accepted', 'accepted']);
  });

  it('counts the bytes of the run that begins', async () => {
    const of = key();
    const bytesOf = async () =>
      (
        await db.$queryRaw<{ bytes: number }[]>`
        SELECT coalesce(sum(bytes), 0)::float8 AS bytes FROM storage_changes WHERE workspace_id = ${seed.workspaceId}::uuid`
      )[0]?.bytes ?? 0;
    const before = await bytesOf();
    for (const length of [10, 5_000, 100]) {
      const { runId } = await start({ key: of, delay: HOUR }, { input: { text: 'x'.repeat(length) } });
      expect((await bytesOf()) - before).toBe(Number((await read(runId)).storedBytes));
    }
  });

  it('has one run for all starts at once', async () => {
    const of = key();
    const starts = await Promise.all(
      Array.from({ length: 30 }, (_, n) => start({ key: of, delay: HOUR }, { input: { n } })),
    );
    expect(countRuns(starts.map(({ runId }) => runId))).toBe(1);
    expect(starts.filter(({ isJoined }) => !isJoined)).toHaveLength(1);
  });

  it('begins another run if its run is being woken at that moment', async () => {
    const of = key();
    const { runId } = await start({ key: of, delay: HOUR }, { input: { n: 1 } });
    let late: ReturnType<typeof start> | undefined;
    await db.$transaction(async (tx) => {
      await tx.$executeRaw`UPDATE executions SET wake_at = NULL, dispatch = 2 WHERE id = ${runId}::uuid`;
      late = start({ key: of, delay: HOUR }, { input: { n: 2 } });
      // It waits for the row: nothing else can tell it that the run has begun.
      await until(async () => (await countLockWaits(db, 'transactionid')) > 0, 'a start that waits');
    });
    expect((await late)?.isJoined).toBe(false);
    expect(await readInput(runId)).toEqual({ n: 1 });
  });

  it('loses no start and changes no run that has begun, whatever happens at once', async () => {
    const random = createRandom();
    const of = key();
    const begun = new Map<string, string | null>();
    const joined: { readonly runId: string; readonly n: number }[] = [];
    const step = async (n: number): Promise<void> => {
      if (random() < 0.6) {
        joined.push({ n, runId: (await start({ key: of, delay: 1 }, { input: { n } })).runId });
        return;
      }
      if (random() < 0.5) await pass(of, 1);
      const due = await db.execution.findMany({
        where: { id: { in: joined.map(({ runId }) => runId) }, wakeAt: { not: null }, status: 'pending' },
      });
      const woken = await wakeDueRuns(
        db,
        due.map(({ id }) => id),
      );
      const claims = woken.map(({ executionId, dispatch }) => ({ executionId, dispatch, token: uuidv7() }));
      for (const { id, triggerData } of await claimExecutions(db, claims, uuidv7())) begun.set(id, triggerData);
    };
    for (let round = 0; round < 60; round += 1) await Promise.all([0, 1, 2, 3, 4].map((i) => step(round * 5 + i)));
    expect(begun.size).toBeGreaterThan(5);
    for (const [id, triggerData] of begun) {
      expect((await read(id)).triggerData).toBe(triggerData);
      expect(joined.filter(({ runId }) => runId === id).map(({ n }) => JSON.stringify({ n }))).toContain(triggerData);
    }
  });
});

describe('a leading debounce', () => {
  it('begins at once, and joins further starts until there was none for the delay', async () => {
    const of = key();
    const debounce = { key: of, delay: HOUR, mode: 'leading', maxDelay: 2.5 * HOUR } as const;
    const first = await start(debounce, { input: { n: 1 } });
    expect(first.verdict).toMatchObject({ run: { isDelayed: false } });
    expect(await read(first.runId)).toMatchObject({ dispatchSeq: 1, claimedDispatch: 0, wakeAt: null });
    await pass(of, HOUR - 10);
    expect(await start(debounce, { input: { n: 2 } })).toMatchObject({
      runId: first.runId,
      verdict: { joined: { executionId: first.runId, isDelayed: false } },
    });
    await pass(of, HOUR - 10);
    expect((await start(debounce)).runId).toBe(first.runId);
    expect(await readInput(first.runId)).toEqual({ n: 1 });
    // `maxDelay` after the first start, a new run begins, however often starts come.
    await pass(of, HOUR / 2 + 30);
    const next = await start(debounce);
    expect(next.isJoined).toBe(false);
    await pass(of, HOUR + 1);
    expect((await start(debounce)).isJoined).toBe(false);
  });

  it('has one run for all starts at once', async () => {
    const debounce = { key: key(), delay: HOUR, mode: 'leading' } as const;
    const starts = await Promise.all(Array.from({ length: 20 }, () => start(debounce)));
    expect(countRuns(starts.map(({ runId }) => runId))).toBe(1);
  });
});

describe('a debounced start', () => {
  const once = async (asked: ReturnType<typeof request>, idempotencyKey: { key: string; bodyHash: string }) =>
    (await startRuns(db, [{ ...asked, idempotencyKey }], UNCOUNTED))[0];

  it('that repeats an Idempotency-Key returns its run, and changes nothing', async () => {
    const of = key();
    const debounce = { key: of, delay: HOUR };
    const first = await start(debounce, { input: { n: 1 } });
    const idempotencyKey = { key: `k ${of}`, bodyHash: 'hash' };
    expect(await once(request(debounce, { input: { n: 2 } }), idempotencyKey)).toMatchObject({
      kind: 'accepted',
      joined: { executionId: first.runId, isDelayed: true },
    });
    await start(debounce, { input: { n: 3 } });
    await pass(of, 600);
    const { startAt } = await read(first.runId);
    expect(await once(request(debounce, { input: { n: 2 } }), idempotencyKey)).toMatchObject({
      kind: 'repeated',
      executionId: first.runId,
      isDelayed: true,
    });
    expect(await read(first.runId)).toMatchObject({ triggerData: '{"n":3}', startAt });
    expect(await once(request(debounce), { ...idempotencyKey, bodyHash: 'other' })).toEqual({ kind: 'otherBody' });
    expect(await readInput(first.runId)).toEqual({ n: 3 });
  });

  it.each(['trailing', 'leading'] as const)('(%s) whose response was lost finds its own run', async (mode) => {
    const debounce = { key: key(), delay: HOUR, mode };
    const id = uuidv7();
    expect(await start(debounce, { id })).toMatchObject({ runId: id, isJoined: false });
    expect(await start(debounce, { id })).toMatchObject({ runId: id, isJoined: false });
    expect(await db.execution.count({ where: { id } })).toBe(1);
  });

  it('that may not start changes nothing', async () => {
    const of = key();
    const { runId } = await start({ key: of, delay: HOUR }, { input: { n: 1 } });
    await pass(of, 600);
    const before = await read(runId);
    const stranger = request({ key: of, delay: HOUR }, { input: { n: 2 }, userId: uuidv7() });
    expect(await startRuns(db, [stranger], UNCOUNTED)).toEqual([{ kind: 'notFound' }]);
    expect(await read(runId)).toEqual(before);
    const unseen = request({ key: key(), delay: HOUR }, { userId: uuidv7() });
    expect(await startRuns(db, [unseen], UNCOUNTED)).toEqual([{ kind: 'notFound' }]);
    expect(await db.debounce.count({ where: { executionId: unseen.executionId } })).toBe(0);
  });

  it('may also have a limit by a key, which counts from its beginning', async () => {
    const of = key();
    const concurrency = { key: of, limit: 1, onLimit: 'reject' } as const;
    const { runId } = await start({ key: of, delay: HOUR }, { concurrency });
    expect(await start({ key: of, delay: HOUR }, { concurrency })).toMatchObject({ runId, isJoined: true });
    await pass(of, HOUR + 1);
    expect(await wake(runId)).toEqual([]);
    expect(await read(runId)).toMatchObject({ wakeAt: null, holdsKey: false });
    const rejected = request({ key: of, delay: HOUR }, { concurrency });
    expect(await startRuns(db, [rejected], UNCOUNTED)).toEqual([{ kind: 'limitReached' }]);
    expect(await db.debounce.count({ where: { executionId: rejected.executionId } })).toBe(0);
  });
});

it('keys that are over are forgotten', async () => {
  const [old, young] = [key(), key()];
  await start({ key: old, delay: 1 });
  await start({ key: young, delay: HOUR });
  await pass(old, 2 * HOUR);
  expect(await pruneDebounces(db, 1_000)).toBeGreaterThan(0);
  expect(await db.debounce.count({ where: { key: old } })).toBe(0);
  expect(await db.debounce.count({ where: { key: young } })).toBe(1);
});

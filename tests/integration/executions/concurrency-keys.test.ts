import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Concurrency } from '@deckhand/contracts';
import {
  claimExecutions,
  claimLimited,
  createDatabase,
  type Database,
  findDueRuns,
  findKeysToRelease,
  findUnclaimed,
  moveSchedules,
  NO_KEY,
  pauseExecution,
  readForRerun,
  readUnclaimed,
  recoverRuns,
  releaseKeys,
  resumeExecution,
  startRuns,
  stopExecution,
  timeOutRuns,
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
const worker = uuidv7();

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 10 });
  stopLater({ stop: () => db.$disconnect() });
  seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
});
afterAll(stopAll);

type Options = Partial<Concurrency> & { readonly startAt?: string; readonly expiresAt?: string };

const actor = () => ({ userId: seed.userId, boundTo: null });
const key = () => uuidv7();
const request = (executionId: string, of: string, { startAt, expiresAt, ...options }: Options = {}) =>
  ({
    executionId,
    workflowId: seed.workflowId,
    actor: actor(),
    triggerNodeId: null,
    mode: 'normal',
    source: 'api',
    triggerData: '{}',
    options: JSON.stringify({ startAt, expiresAt, concurrency: { key: of, ...options } }),
  }) as const;

/** Starts a run of the key. */
async function start(of: string, options: Options = {}, id = uuidv7()) {
  const [verdict] = await startRuns(db, [request(id, of, options)], UNCOUNTED);
  const underKey = verdict?.kind === 'accepted' ? verdict.underKey : undefined;
  return {
    id,
    kind: verdict?.kind,
    dispatched: underKey?.dispatched.map(({ executionId }) => executionId),
    stopped: underKey?.stopped,
  };
}

const acceptOne = async (asked: ReturnType<typeof request>, idempotencyKey: { key: string; bodyHash: string }) =>
  (await startRuns(db, [{ ...asked, idempotencyKey }], UNCOUNTED))[0];

/** Tries to claim a run in each way. */
async function claim(executionId: string, workerId = worker): Promise<boolean> {
  const { dispatchSeq: dispatch } = await read(executionId);
  const requests = [{ executionId, dispatch, token: uuidv7() }];
  if ((await readUnclaimed(db, requests)).length > 0) return true;
  if ((await claimExecutions(db, requests, workerId)).length > 0) return true;
  return (await claimLimited(db, requests, workerId)).claimed.length > 0;
}

const read = (id: string) => db.execution.findUniqueOrThrow({ where: { id } });
const finish = (id: string) =>
  db.execution.update({ where: { id }, data: { status: 'success', finishedAt: new Date(), workerId: null } });
const release = async (of: string) =>
  (await releaseKeys(db, [{ workflowId: seed.workflowId, key: of }])).map(({ executionId }) => executionId);
const findFree = async () => (await findKeysToRelease(db, NO_KEY, 1_000)).keys.map(({ key: found }) => found);
const holders = (of: string) =>
  db.execution.count({
    where: {
      concurrencyKey: of,
      holdsKey: true,
      status: { in: ['pending', 'running', 'paused', 'waiting_for_input'] },
    },
  });
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

describe('a limit by a key', () => {
  it('lets as many runs begin as it says, and the others in the order of acceptance as slots are freed', async () => {
    const of = key();
    const [a, b, c, d] = [
      await start(of, { limit: 2 }),
      await start(of, { limit: 2 }),
      await start(of, { limit: 2 }),
      await start(of, { limit: 2 }),
    ];
    expect([a, b, c, d].map(({ dispatched }) => dispatched)).toEqual([[a.id], [b.id], [], []]);
    expect(await read(c.id)).toMatchObject({ status: 'pending', startedAt: null, holdsKey: false });
    expect([await claim(a.id), await claim(b.id), await claim(c.id), await claim(d.id)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(await release(of)).toEqual([]);

    await finish(b.id);
    expect(await release(of)).toEqual([c.id]);
    expect(await release(of)).toEqual([]);
    expect([await claim(d.id), await claim(c.id)]).toEqual([false, true]);
  });

  it('orders runs by their acceptance, not by their ids, which those of children share with their parents', async () => {
    const idOfChild = () => uuidv7({ msecs: Date.now() - 60_000 });
    const [queue, replace] = [key(), key()];
    const runs = [
      await start(queue, { limit: 1 }),
      await start(queue, { limit: 1 }, idOfChild()),
      await start(queue, { limit: 1 }),
      await start(queue, { limit: 1 }, idOfChild()),
    ];
    const ids = runs.map(({ id }) => id);
    const released: string[] = [];
    for (const id of ids) {
      await finish(id);
      released.push(...(await release(queue)));
    }
    expect([...(runs[0]?.dispatched ?? []), ...released]).toEqual(ids);

    const first = await start(replace, { limit: 2 });
    await start(replace, { limit: 2 }, idOfChild());
    expect((await start(replace, { limit: 2, onLimit: 'cancelOldest' })).stopped).toEqual([first.id]);
  });

  it('is one of the workflow: the same key of another one is another key', async () => {
    const of = key();
    await start(of);
    const other = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
    const id = uuidv7();
    const asked = { ...request(id, of), workflowId: other.workflowId, actor: { userId: other.userId, boundTo: null } };
    const [verdict] = await startRuns(db, [asked], UNCOUNTED);
    expect(verdict).toMatchObject({ underKey: { dispatched: [{ executionId: id, dispatch: 2 }] } });
  });

  it('is exact among starts at once, in each way, and with a release at the same time', async () => {
    const of = key();
    const starts = await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 4 === 3 ? release(of) : start(of, { limit: 3 }))),
    );
    expect(starts).toHaveLength(40);
    expect(await holders(of)).toBe(3);

    const rejecting = key();
    const kinds = await Promise.all(
      Array.from({ length: 20 }, async () => (await start(rejecting, { limit: 3, onLimit: 'reject' })).kind),
    );
    expect(kinds.filter((kind) => kind === 'accepted')).toHaveLength(3);
    expect(await db.execution.count({ where: { concurrencyKey: rejecting } })).toBe(3);

    const latest = key();
    await Promise.all(Array.from({ length: 20 }, () => start(latest, { limit: 3, onLimit: 'cancelOldest' })));
    const rows = await db.execution.groupBy({
      by: ['status', 'holdsKey'],
      where: { concurrencyKey: latest },
      _count: true,
      orderBy: { status: 'asc' },
    });
    expect(rows).toEqual([
      { status: 'pending', holdsKey: true, _count: 3 },
      { status: 'stopped', holdsKey: true, _count: 17 },
    ]);
  });

  it('is exact among releases of which one was delayed and has an old view', async () => {
    const of = key();
    const [held, a, b] = [await start(of), await start(of), await start(of)];
    await pauseExecution(db, actor(), a.id);
    await finish(held.id);
    const waitsFor = async (type: string, others: number) => (await countLockWaits(db, type)) >= others;
    let late: Promise<string[]> = Promise.resolve([]);
    let next: Promise<string[]> = Promise.resolve([]);
    await db.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT 1 FROM executions WHERE id = ${b.id}::uuid FOR UPDATE`;
      // It found the first run paused, and waits for the row of the second.
      late = release(of);
      await until(() => waitsFor('transactionid', 1));
      await resumeExecution(db, actor(), a.id);
      let isDone = false;
      next = release(of).finally(() => (isDone = true));
      await until(async () => isDone || (await waitsFor('advisory', 1)));
    });
    expect([...(await late), ...(await next)]).toEqual([b.id]);
    expect(await holders(of)).toBe(1);
  });

  it('lets nobody overtake a run whose own limit is lower', async () => {
    const of = key();
    const a = await start(of, { limit: 5 });
    const strict = await start(of, { limit: 1 });
    const b = await start(of, { limit: 5 });
    expect([strict.dispatched, b.dispatched]).toEqual([[], []]);
    await finish(a.id);
    expect(await release(of)).toEqual([strict.id, b.id]);
  });

  it('keeps the slot of a run that rests, is paused, or loses its worker', async () => {
    const of = key();
    const a = await start(of);
    await start(of);
    await claim(a.id);
    await db.execution.update({ where: { id: a.id }, data: { workerId: null, status: 'waiting_for_input' } });
    expect(await release(of)).toEqual([]);
    await pauseExecution(db, actor(), a.id);
    expect(await release(of)).toEqual([]);
    await resumeExecution(db, actor(), a.id);
    const lost = uuidv7();
    expect(await claim(a.id, lost)).toBe(true);
    expect(await release(of)).toEqual([]);
    const { dispatched } = await recoverRuns(db, [{ id: lost, blockingRun: null }], [a.id]);
    expect(dispatched.map(({ executionId }) => executionId)).toEqual([a.id]);
    expect(await release(of)).toEqual([]);
    expect(await claim(a.id)).toBe(true);
  });

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['success', finish],
    [
      'failure',
      (id) =>
        db.execution.update({ where: { id }, data: { status: 'failed', finishedAt: new Date(), workerId: null } }),
    ],
    ['a stop', (id) => stopExecution(db, actor(), id)],
    [
      'its deadline',
      async (id) => {
        await db.execution.update({ where: { id }, data: { deadlineAt: new Date(0) } });
        await timeOutRuns(db, [id], 0);
      },
    ],
    ['a deletion', (id) => db.execution.delete({ where: { id } })],
  ])('is freed by %s, which maintenance finds without any notification', async (_, end) => {
    const of = key();
    const a = await start(of);
    const b = await start(of);
    await claim(a.id);
    expect(await findFree()).not.toContain(of);
    await end(a.id);
    expect(await findFree()).toContain(of);
    // Two workers may have the lease for a moment.
    const released = await Promise.all([release(of), release(of)]);
    expect(released.flat()).toEqual([b.id]);
    expect(await findFree()).not.toContain(of);
    expect(await claim(b.id)).toBe(true);
  });

  it('does not lose a run whose process died before it queued the job', async () => {
    const { id } = await start(key());
    const unclaimed = await findUnclaimed(db, { olderThanMs: -1_000, limit: 1_000 });
    expect(unclaimed.map(({ executionId }) => executionId)).toContain(id);
  });

  it('passes over waiting runs that were stopped, paused or have expired', async () => {
    const of = key();
    const a = await start(of);
    const [stopped, paused, expired, b] = [
      await start(of),
      await start(of),
      await start(of, { expiresAt: inSeconds(3_600) }),
      await start(of),
    ];
    await stopExecution(db, actor(), stopped.id);
    await pauseExecution(db, actor(), paused.id);
    await db.execution.update({ where: { id: expired.id }, data: { expiresAt: new Date(0) } });
    await finish(a.id);
    expect(await release(of)).toEqual([b.id]);
    expect((await resumeExecution(db, actor(), paused.id)).dispatched).toEqual([]);
    expect(await claim(paused.id)).toBe(false);
    await finish(b.id);
    expect(await release(of)).toEqual([paused.id]);
    expect(await claim(paused.id)).toBe(true);
  });

  it('applies to a delayed run from its time on', async () => {
    const of = key();
    const delayed = await start(of, { startAt: inSeconds(3_600) });
    const a = await start(of);
    expect([delayed.dispatched, a.dispatched]).toEqual([[], [a.id]]);
    await db.$executeRaw`
      UPDATE executions SET start_at = now(), wake_at = now() - interval '1 s' WHERE id = ${delayed.id}::uuid`;
    expect(await findDueRuns(db, { limit: 1_000, except: [] })).toContain(delayed.id);
    expect(await wakeDueRuns(db, [delayed.id])).toEqual([]);
    expect(await claim(delayed.id)).toBe(false);
    await finish(a.id);
    expect(await release(of)).toEqual([delayed.id]);
    expect(await claim(delayed.id)).toBe(true);
  });

  it('holds together with a limit of the workflow', async () => {
    const limited = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
    await db.workflow.update({ where: { id: limited.workflowId }, data: { maxConcurrentExecutions: 1 } });
    const of = key();
    const [x, y] = [uuidv7(), uuidv7()];
    for (const id of [x, y]) {
      const asked = { ...request(id, of, { limit: 2 }), workflowId: limited.workflowId };
      await startRuns(db, [{ ...asked, actor: { userId: limited.userId, boundTo: null } }], UNCOUNTED);
    }
    expect([await claim(x), await claim(y)]).toEqual([true, false]);
    expect(await holders(of)).toBe(2);
  });
});

describe('at the limit, a start', () => {
  it('with `reject` writes nothing, and counts runs that wait or are delayed', async () => {
    const of = key();
    await start(of, { startAt: inSeconds(3_600) });
    const refused = await start(of, { onLimit: 'reject' });
    expect(refused.kind).toBe('limitReached');
    expect(await db.execution.findUnique({ where: { id: refused.id } })).toBeNull();
    expect((await start(of, { onLimit: 'reject', limit: 2 })).kind).toBe('accepted');
  });

  it('with `reject` tells nobody of workflows that it may not see', async () => {
    const of = key();
    await start(of);
    const stranger = { ...request(uuidv7(), of, { onLimit: 'reject' }), actor: { userId: uuidv7(), boundTo: null } };
    expect(await startRuns(db, [stranger], UNCOUNTED)).toEqual([{ kind: 'notFound' }]);
  });

  it('with `cancelOldest` stops the oldest, whatever it does, and begins', async () => {
    const of = key();
    const a = await start(of, { limit: 2 });
    const b = await start(of, { limit: 2 });
    await claim(a.id);
    const c = await start(of, { limit: 2, onLimit: 'cancelOldest' });
    expect(c).toMatchObject({ stopped: [a.id], dispatched: [c.id] });
    expect(await read(a.id)).toMatchObject({ status: 'stopped', workerId: null });
    expect(await read(b.id)).toMatchObject({ status: 'pending' });
    const alone = await start(of, { onLimit: 'cancelOldest' });
    expect(alone).toMatchObject({ stopped: [b.id, c.id], dispatched: [alone.id] });
  });

  it('that may not start stops nobody', async () => {
    const of = key();
    const a = await start(of);
    const stranger = {
      ...request(uuidv7(), of, { onLimit: 'cancelOldest' }),
      actor: { userId: uuidv7(), boundTo: null },
    };
    expect(await startRuns(db, [stranger], UNCOUNTED)).toEqual([{ kind: 'notFound' }]);
    expect(await read(a.id)).toMatchObject({ status: 'pending' });
  });

  it.each(['reject', 'cancelOldest'] as const)(
    'with `%s` counts itself once if its response was lost',
    async (onLimit) => {
      const of = key();
      const a = await start(of, { onLimit });
      const again = await start(of, { onLimit }, a.id);
      expect(again).toMatchObject({ kind: 'accepted', stopped: [], dispatched: [] });
      // Another one came in between.
      await start(of);
      expect(await start(of, { onLimit }, a.id)).toMatchObject({ kind: 'accepted', stopped: [], dispatched: [] });
      expect(await holders(of)).toBe(1);
    },
  );

  it('that repeats an Idempotency-Key returns the earlier run, and is neither rejected nor stops it', async () => {
    const of = key();
    const once = { key: 'once', bodyHash: 'hash' };
    const first = uuidv7();
    expect(await acceptOne(request(first, of, { onLimit: 'reject' }), once)).toMatchObject({
      kind: 'accepted',
      underKey: { dispatched: [{ executionId: first }] },
    });
    for (const onLimit of ['reject', 'cancelOldest'] as const) {
      const repeated = await acceptOne(request(uuidv7(), of, { onLimit }), once);
      expect(repeated).toEqual(expect.objectContaining({ kind: 'repeated', executionId: first }));
    }
    const refused = { key: 'refused', bodyHash: 'hash' };
    expect(await acceptOne(request(uuidv7(), of, { onLimit: 'reject' }), refused)).toEqual({
      kind: 'limitReached',
    });
    // The key is free again: the refused start left nothing.
    expect(await acceptOne(request(uuidv7(), of), refused)).toMatchObject({ kind: 'accepted' });
  });
});

it('a rerun waits for the key of its original', async () => {
  const of = key();
  const { id } = await start(of, { limit: 2, onLimit: 'reject' });
  await finish(id);
  const origin = await readForRerun(db, actor(), id, { fromNodeId: null, version: 'latest' });
  expect(origin).toMatchObject({ kind: 'origin', options: { concurrency: { key: of, limit: 2 } } });
});

it('the run of a schedule is left out, waits, or stops the oldest', async () => {
  const of = key();
  const { workflowId, workspaceId } = seed;
  const { latestVersionId } = await db.workflow.update({ where: { id: workflowId }, data: { status: 'active' } });
  const workflowVersionId = String(latestVersionId);
  let due = new Date('2026-01-01T00:00:00Z');
  const schedule = {
    workflowId,
    nodeId: 'start',
    workflowVersionId,
    cron: '* * * * *',
    timezone: 'UTC',
    catchUp: false,
  };
  await db.schedule.create({ data: { ...schedule, nextFireAt: due, nextCheckAt: due } });
  const fire = async (onLimit: NonNullable<Concurrency['onLimit']>) => {
    const executionId = uuidv7();
    const asked = { ...request(executionId, of, { onLimit }), actor: null, source: 'schedule' } as const;
    const [at, nextFireAt] = [due, new Date(due.getTime() + 60_000)];
    const of_ = { ...schedule, workspaceId, nextFireAt: at, isHeld: false, options: null, maxOverlap: 100 };
    due = nextFireAt;
    const [verdict] = await moveSchedules(db, [{ schedule: of_, nextFireAt, fireAt: at, request: asked }], UNCOUNTED);
    return { executionId, verdict };
  };
  const first = await fire('reject');
  expect(first.verdict).toMatchObject({ kind: 'moved', underKey: { dispatched: [{ dispatch: 2 }] } });
  expect((await fire('reject')).verdict).toEqual({ kind: 'moved', isLeftOut: true });
  expect((await fire('queue')).verdict).toMatchObject({ kind: 'moved', underKey: { dispatched: [] } });
  expect((await fire('cancelOldest')).verdict).toMatchObject({ kind: 'moved', underKey: { dispatched: [{}] } });
  expect(await read(first.executionId)).toMatchObject({ status: 'stopped' });
  expect(await db.execution.count({ where: { concurrencyKey: of } })).toBe(3);
});

it('never more than the limit are in progress, whatever happens at once', async () => {
  const random = createRandom();
  const upTo = (max: number) => Math.floor(random() * max);
  const of = key();
  const limit = 3;
  const ids: string[] = [];
  const pick = () => ids[upTo(ids.length)];
  const quietly = (act: Promise<unknown>) => act.catch(() => undefined);
  let most = 0;
  const step = async (): Promise<void> => {
    const id = pick();
    const kind = upTo(10);
    if (id === undefined || kind < 3) {
      const onLimit = (['queue', 'queue', 'cancelOldest', 'reject'] as const)[upTo(4)] ?? 'queue';
      const started = await start(of, { limit, onLimit });
      if (started.kind === 'accepted') ids.push(started.id);
    } else if (kind < 5) {
      await quietly(claim(id, uuidv7()));
    } else if (kind === 5) {
      await db.execution.updateMany({
        where: { id, status: 'running', workerId: { not: null } },
        data: { status: 'success', finishedAt: new Date(), workerId: null },
      });
    } else if (kind === 6) {
      await quietly(stopExecution(db, actor(), id));
    } else if (kind === 7) {
      await quietly(pauseExecution(db, actor(), id));
      await quietly(resumeExecution(db, actor(), id));
    } else {
      await release(of);
    }
    most = Math.max(most, await holders(of));
  };
  for (let round = 0; round < 60; round += 1) await Promise.all(Array.from({ length: 6 }, step));
  expect(most).toBe(limit);

  // Nothing is lost: all of them come to their end, in their order.
  for (;;) {
    const next = await db.execution.findFirst({
      where: { concurrencyKey: of, holdsKey: true, status: { in: ['pending', 'running', 'paused'] } },
    });
    if (next) await finish(next.id);
    else if ((await release(of)).length === 0) break;
  }
  expect(await db.execution.count({ where: { concurrencyKey: of, status: { in: ['pending', 'running'] } } })).toBe(0);
});

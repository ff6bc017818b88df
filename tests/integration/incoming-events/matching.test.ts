import {
  acceptEvents,
  createDatabase,
  type Database,
  delayEvents,
  endDueWaits,
  endNewWaits,
  endWaitsForEvents,
  findUncheckedWaits,
  findUnmatchedEvents,
  markMatched,
  pruneEvents,
  writeCheckpoints,
} from '@deckhand/db';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  chain,
  createTestDatabase,
  nodeRow,
  type Seed,
  seedWorkflow,
  stopAll,
  stopLater,
  until,
  countLockWaits,
} from '../../harness/index.ts';

let db: Database;
let seed: Seed;

const WAITING = chain({ id: 'paid', type: 'wait.event', parameters: { name: 'order.paid' } });

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 12 });
  stopLater({ stop: () => db.$disconnect() });
});
afterAll(stopAll);
beforeEach(async () => {
  seed = await seedWorkflow(db, WAITING);
});

interface Given {
  readonly key?: string;
  readonly eventId?: string;
  readonly workspaceId?: string;
  readonly userId?: string;
}

/** Sends an event. @returns its row's id, with the verdict. */
async function send({ key = '', eventId = uuidv7(), workspaceId, userId }: Given = {}) {
  const id = uuidv7();
  const actor = { userId: userId ?? seed.userId };
  const of = workspaceId ?? seed.workspaceId;
  const [verdict] = await acceptEvents(db, [
    { id, workspaceId: of, actor, eventId, name: 'order.paid', key, data: '{"amount":1}' },
  ]);
  return { id, verdict };
}

const NODE = nodeRow('paid', { status: 'waiting', finishedAt: null });

/** Returns the checkpoint of a run that begins to wait, and then rests. */
async function beginWaiting(
  of: Seed,
  {
    key = '',
    dueAt = null,
    lookbackSeconds = 60,
  }: { key?: string; dueAt?: number | null; lookbackSeconds?: number } = {},
) {
  const executionId = await of.accept();
  const details = JSON.stringify({ lookbackSeconds });
  const anybody = { approverPeople: null, approverRoles: null, fourEyes: null };
  const wait = { nodeId: 'paid', iteration: '', kind: 'event', details, ...anybody } as const;
  return {
    executionId,
    epoch: 1,
    token: uuidv7(),
    claim: { workerId: uuidv7(), digest: null, begunAt: performance.now() },
    checkpoint: 1,
    currentNodeId: 'paid',
    loopPositions: null,
    nodeRuns: [NODE],
    nodeIterations: [],
    waits: [{ ...wait, dueAt, childExecutionId: null, eventName: 'order.paid', eventKey: key, isCancelled: null }],
    ending: { kind: 'resting', status: 'running', wakeAt: dueAt, answerCount: 0 },
  } as const;
}

/** Returns a run that rests at its wait. */
async function resting(of: Seed = seed, given: Parameters<typeof beginWaiting>[1] = {}): Promise<string> {
  const checkpoint = await beginWaiting(of, given);
  expect(await writeCheckpoints(db, [checkpoint])).toEqual(['written']);
  return checkpoint.executionId;
}

const idsOf = (runs: readonly { readonly executionId: string }[]) => runs.map(({ executionId }) => executionId);
const waitOf = (executionId: string) => db.wait.findFirstOrThrow({ where: { executionId } });
const wakeNew = async (...runs: readonly string[]) => idsOf((await endNewWaits(db, runs)).woken);
const match = async (...events: readonly { readonly id: string }[]) =>
  idsOf(
    (
      await endWaitsForEvents(
        db,
        events.map(({ id }) => id),
      )
    ).woken,
  );

describe('an event and a wait', () => {
  it('that began after another event are not matched with each other: the oldest event ends the wait', async () => {
    const first = await send();
    await match(first);
    const run = await resting();
    const second = await send();
    expect(await match(second)).toEqual([run]);
    expect(await waitOf(run)).toMatchObject({ eventId: first.id });
    const third = await resting();
    await wakeNew(third);
    expect(await waitOf(third)).toMatchObject({ eventId: first.id });
  });

  it('of a rerun or a child of the run that the event started are not matched with each other', async () => {
    const eventId = 'evt "1"';
    await send({ eventId });
    const [started, rerun, child, childRerun, other] = [
      await resting(),
      await resting(),
      await resting(),
      await resting(),
      await resting(),
    ];
    // As PostgreSQL writes the event that starts a run.
    const triggerData = `{"id" : ${JSON.stringify(eventId)}, "name" : "order.paid"}`;
    const change = (of: string, data: object) => db.execution.update({ where: { id: of }, data });
    await change(started, { source: 'event', triggerData });
    await change(rerun, { source: 'rerun', rerunOf: started, triggerData });
    await change(child, { source: 'workflow', parentExecutionId: started });
    await change(childRerun, { source: 'rerun', rerunOf: child });
    expect(await wakeNew(started, rerun, child, childRerun, other)).toEqual([other]);
  });

  it('meet if the wait is committed first', async () => {
    const executionId = await resting(seed, { key: 'A-1' });
    const event = await send({ key: 'A-1', eventId: 'evt-1' });
    expect(await match(event)).toEqual([executionId]);
    const { answer, eventId } = await waitOf(executionId);
    expect(eventId).toBe(event.id);
    expect(JSON.parse(answer ?? '')).toMatchObject({
      id: 'evt-1',
      name: 'order.paid',
      key: 'A-1',
      data: { amount: 1 },
    });
    expect(await db.execution.findUnique({ where: { id: executionId } })).toMatchObject({
      answerCount: 1,
      dispatchSeq: 2,
    });
  });

  it('meet if the event is committed and matched first', async () => {
    const event = await send({ key: 'A-1' });
    expect(await match(event)).toEqual([]);
    await markMatched(db, [event.id]);
    const executionId = await resting(seed, { key: 'A-1' });
    expect(await findUncheckedWaits(db, { limit: 10, except: [] })).toContain(executionId);
    expect(await wakeNew(executionId)).toEqual([executionId]);
    expect((await waitOf(executionId)).eventId).toBe(event.id);
  });

  it('meet if the event is matched while the wait is being written', async () => {
    const checkpoint = await beginWaiting(seed, { key: 'A-1' });
    const { event, written } = await db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM executions WHERE id = ${checkpoint.executionId}::uuid FOR UPDATE`;
      const writing = writeCheckpoints(db, [checkpoint]);
      await until(async () => (await countLockWaits(db, 'transactionid')) > 0, 'the checkpoint that waits');
      const sent = await send({ key: 'A-1' });
      expect(await match(sent)).toEqual([]);
      return { event: sent, written: { writing } };
    });
    expect(await written.writing).toEqual(['written']);
    expect(await wakeNew(checkpoint.executionId)).toEqual([checkpoint.executionId]);
    expect((await waitOf(checkpoint.executionId)).eventId).toBe(event.id);
  });

  it('do not meet with another key, another workspace, or after the look-back', async () => {
    const other = await seedWorkflow(db, WAITING);
    const runs = [await resting(seed, { key: 'A-2' }), await resting(other, { key: 'A-1' })];
    const event = await send({ key: 'A-1' });
    expect(await match(event)).toEqual([]);
    await db.event.update({ where: { id: event.id }, data: { receivedAt: new Date(Date.now() - 120_000) } });
    runs.push(await resting(seed, { key: 'A-1' }), await resting(seed, { key: 'A-1', lookbackSeconds: 0 }));
    expect(await wakeNew(...runs)).toEqual([]);
    expect(await findUncheckedWaits(db, { limit: 10, except: [] })).toEqual([]);
    const later = await resting(seed, { key: 'A-1', lookbackSeconds: 300 });
    expect(await wakeNew(later)).toEqual([later]);
  });

  it('meet without a key, whatever the key of the event', async () => {
    const executionId = await resting();
    expect(await match(await send({ key: 'A-9' }))).toEqual([executionId]);
  });
});

describe('a wait', () => {
  it('ends by one of two events that several processes match at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const runs = [await resting(), await resting()];
      const events = [await send(), await send()];
      const woken = await Promise.all([match(...events), match(...events), wakeNew(...runs)]);
      expect(woken.flat().toSorted()).toEqual(runs.toSorted());
      const answered = await db.execution.findMany({ where: { id: { in: runs } } });
      expect(answered.map(({ answerCount, dispatchSeq }) => [answerCount, dispatchSeq])).toEqual([
        [1, 2],
        [1, 2],
      ]);
    }
  });

  it('ends by an event or by its time, and the run sees that end only', async () => {
    for (let round = 0; round < 20; round += 1) {
      const executionId = await resting(seed, { dueAt: Date.now() + 20 });
      const event = await send();
      const places = [{ nodeId: 'paid', iteration: '' }];
      const end = async () => {
        const seen = () => endDueWaits(db, executionId, places).then(({ waits }) => waits[0]);
        return until(seen, 'the end of the wait');
      };
      const [first] = await Promise.all([end(), match(event)]);
      expect((await waitOf(executionId)).answer).toBe(first.answer);
    }
  });

  it('whose time is up ends without the event', async () => {
    const executionId = await resting(seed, { dueAt: Date.now() - 1_000 });
    expect(await match(await send())).toEqual([executionId]);
    expect(await waitOf(executionId)).toMatchObject({ answer: null, eventId: null });
  });

  it('does not end by an event that has ended another wait of its run, or has started its run', async () => {
    const executionId = await resting();
    const event = await send({ eventId: 'evt-1' });
    await match(event);
    const { createdAt: _, ...first } = await waitOf(executionId);
    const second = { ...first, iteration: '1', answer: null, answeredAt: null, eventId: null, eventsCheckedAt: null };
    await db.wait.create({ data: { ...second, createdAt: new Date() } });
    expect(await wakeNew(executionId)).toEqual([]);
    const started = await resting();
    await db.event.update({ where: { id: event.id }, data: { receivedAt: new Date(Date.now() - 1_000) } });
    // As PostgreSQL writes the trigger data of such runs.
    const triggerData = '{"id" : "evt-1", "name" : "paid"}';
    await db.execution.update({ where: { id: started }, data: { source: 'event', triggerData } });
    expect(await wakeNew(started)).toEqual([]);
  });

  it('of a run that another transaction has locked is passed over, and ends later', async () => {
    const [locked, free] = [await resting(), await resting()];
    const event = await send();
    const isFound = async () =>
      (await findUnmatchedEvents(db, { limit: 1_000, except: [] })).some(({ id }) => id === event.id);
    await db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM executions WHERE id = ${locked}::uuid FOR UPDATE`;
      const { woken, whole, isPartial } = await endWaitsForEvents(db, [event.id]);
      expect([idsOf(woken), whole, isPartial]).toEqual([[free], [], false]);
      // After a moment, so that it does not keep others from being found.
      expect(await isFound()).toBe(false);
      expect(await wakeNew(locked)).toEqual([]);
      expect((await waitOf(locked)).eventsCheckedAt).toBeNull();
    });
    const { woken, whole } = await endWaitsForEvents(db, [event.id]);
    expect([idsOf(woken), whole]).toEqual([[locked], [event.id]]);
    await db.event.update({ where: { id: event.id }, data: { nextMatchAt: new Date(0) } });
    expect(await isFound()).toBe(true);
  });

  it('of a run that was stopped wakes nothing, and is ended', async () => {
    const executionId = await resting();
    await db.execution.update({ where: { id: executionId }, data: { status: 'stopped', finishedAt: new Date() } });
    expect(await match(await send())).toEqual([]);
    expect(await waitOf(executionId)).toMatchObject({ answer: null, eventId: null });
    expect((await waitOf(executionId)).answeredAt).not.toBeNull();
  });
});

describe('very many', () => {
  beforeEach(async () => {
    await db.event.deleteMany();
    await db.wait.deleteMany();
  });

  it('events of one workspace do not delay those of another', async () => {
    for (let n = 0; n < 30; n += 1) await send();
    const other = await seedWorkflow(db, WAITING);
    const { id } = await send({ workspaceId: other.workspaceId, userId: other.userId });
    const page = await findUnmatchedEvents(db, { limit: 10, except: [] });
    expect(page).toHaveLength(10);
    expect(page.slice(0, 2).map((event) => event.id)).toContain(id);
  });

  it('a delay of 0 s does not put an event behind those that came after it', async () => {
    const ids = [(await send()).id, (await send()).id, (await send()).id];
    for (const [index, id] of ids.entries()) {
      await db.event.update({ where: { id }, data: { nextMatchAt: new Date(index) } });
    }
    const delays = ids.slice(0, 2).map((id) => ({ id, seconds: 0, after: undefined }));
    await delayEvents(db, delays);
    const found = async () => (await findUnmatchedEvents(db, { limit: 10, except: [] })).map(({ id }) => id);
    expect(await found()).toEqual(ids);
    const longer = delays.map((delay) => ({ ...delay, seconds: 60 }));
    await delayEvents(db, longer);
    expect(await found()).toEqual(ids.slice(2));
  });

  it('new waits of one workspace do not delay those of another', async () => {
    for (let n = 0; n < 12; n += 1) await resting();
    const other = await seedWorkflow(db, WAITING);
    const executionId = await resting(other);
    expect((await findUncheckedWaits(db, { limit: 10, except: [] })).slice(0, 2)).toContain(executionId);
  });

  it('waits for one event do not hold up the next, and end in several transactions', async () => {
    const first = await resting(seed, { key: 'A' });
    await db.$executeRaw`
      INSERT INTO executions (id, workspace_id, workflow_id, workflow_version_id, status, source, trigger_node_id, trigger_data,
        created_at, dispatched_at, deadline_at, claimed_dispatch)
      SELECT overlay(gen_random_uuid()::text PLACING left(first_id_of(now())::text, 13) FROM 1)::uuid, workspace_id, workflow_id,
        workflow_version_id, status, source, trigger_node_id, '{}', created_at, now(), deadline_at, 1
      FROM executions, generate_series(2, 1500) WHERE id = ${first}::uuid`;
    await db.$executeRaw`
      INSERT INTO waits (execution_id, node_id, iteration, kind, details, created_at, workspace_id, event_name, event_key)
      SELECT e.id, w.node_id, '', w.kind, w.details, w.created_at, w.workspace_id, w.event_name, w.event_key
      FROM executions e, waits w WHERE e.workflow_id = ${seed.workflowId}::uuid AND w.execution_id = ${first}::uuid AND e.id <> ${first}::uuid`;
    const single = await resting(seed, { key: 'B' });
    const [broadcast, next] = [await send({ key: 'A' }), await send({ key: 'B' })];
    const ids = [broadcast.id, next.id];
    const ended = await endWaitsForEvents(db, ids);
    expect(ended).toMatchObject({ whole: [next.id], isPartial: true });
    expect(idsOf(ended.woken)).toContain(single);
    const rest = [await endWaitsForEvents(db, ids), await endWaitsForEvents(db, ids)];
    const all = [ended, ...rest].flatMap(({ woken }) => idsOf(woken));
    expect([all.length, new Set(all).size]).toEqual([1_501, 1_501]);
    expect(rest.at(-1)?.isPartial).toBe(false);
  });
});

describe('an event that is sent', () => {
  it('is stored once for each id', async () => {
    expect((await send({ eventId: 'evt-1' })).verdict).toEqual({ kind: 'accepted', isRepeated: false, isSame: true });
    expect((await send({ eventId: 'evt-1' })).verdict).toEqual({ kind: 'accepted', isRepeated: true, isSame: true });
    const other = await send({ eventId: 'evt-1', key: 'another' });
    expect(other.verdict).toEqual({ kind: 'accepted', isRepeated: true, isSame: false });
    const same = {
      workspaceId: seed.workspaceId,
      actor: { userId: seed.userId },
      eventId: 'evt-2',
      name: 'a',
      key: '',
    };
    const [id, otherId] = [uuidv7(), uuidv7()];
    const once = { id, ...same, data: '1' };
    const verdicts = [await acceptEvents(db, [once, { ...once, id: otherId }]), await acceptEvents(db, [once])];
    // The second attempt of a request whose response was lost is not a repetition.
    expect(verdicts.flat().map((verdict) => 'isRepeated' in verdict && verdict.isRepeated)).toEqual([
      false,
      true,
      false,
    ]);
    expect(await db.event.count({ where: { workspaceId: seed.workspaceId } })).toBe(2);
  });

  it('needs the role editor, and room', async () => {
    const stranger = await seedWorkflow(db, WAITING);
    expect((await send({ userId: stranger.userId })).verdict).toEqual({ kind: 'noMember' });
    const membership = { workspaceId: seed.workspaceId, userId: stranger.userId };
    await db.membership.create({ data: { ...membership, role: 'viewer' } });
    expect((await send({ userId: stranger.userId })).verdict).toEqual({ kind: 'forbidden' });
    await db.workspace.update({ where: { id: seed.workspaceId }, data: { storageQuotaBytes: 0 } });
    expect((await send()).verdict).toEqual({ kind: 'overQuota' });
    await db.workspace.update({ where: { id: seed.workspaceId }, data: { storageQuotaBytes: null } });
    await db.$executeRaw`
      INSERT INTO events (id, workspace_id, event_id, name, key, data)
      SELECT gen_random_uuid(), ${seed.workspaceId}::uuid, n::text, 'a', '', '1' FROM generate_series(1, 20000) n`;
    expect((await send()).verdict).toEqual({ kind: 'tooMany' });
    await db.event.updateMany({ where: { workspaceId: seed.workspaceId }, data: { matchedAt: new Date() } });
    expect((await send()).verdict).toMatchObject({ kind: 'accepted' });
  });

  it('is deleted after a day, and ends no wait from then on', async () => {
    const executionId = await resting();
    const [old, recent] = [await send(), await send()];
    const yesterday = new Date(Date.now() - 86_400_000 - 60_000);
    await db.event.update({ where: { id: old.id }, data: { receivedAt: yesterday } });
    expect((await pruneEvents(db, 10)).unmatched).toBeGreaterThanOrEqual(1);
    expect(await match(old)).toEqual([]);
    expect(await match(recent)).toEqual([executionId]);
  });
});

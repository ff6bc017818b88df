import {
  type AnswerOutcome,
  answerWait,
  confirmAnswer,
  createDatabase,
  type Database,
  endDueWaits,
  writeCheckpoints,
} from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import {
  countLockWaits,
  createRandom,
  createTestDatabase,
  nodeRow,
  type Seed,
  seedWorkflow,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';

let db: Database;
let seed: Seed;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 20 });
  stopLater({ stop: () => db.$disconnect() });
  seed = await seedWorkflow(db, {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'ask', type: 'approval', parameters: { message: '?', timeoutSeconds: 60 } },
    ],
    edges: [{ source: 'start', target: 'ask' }],
  });
});
afterAll(stopAll);

const NODE = nodeRow('ask', { status: 'waiting', finishedAt: null });
const WAIT = {
  nodeId: 'ask',
  iteration: '',
  kind: 'approval' as const,
  details: '{}',
  dueAt: 0,
  childExecutionId: null,
  eventName: null,
  eventKey: null,
  approverPeople: null,
  approverRoles: null,
  fourEyes: null,
  isCancelled: null,
};

/** Returns a run that rests at its approval, which times out in so many ms by the database's clock. */
async function restingRun(dueInMs: number): Promise<string> {
  const executionId = await seed.accept();
  const [verdict] = await writeCheckpoints(db, [
    {
      executionId,
      epoch: 1,
      token: uuidv7(),
      claim: { workerId: uuidv7(), digest: null, begunAt: performance.now() },
      checkpoint: 1,
      currentNodeId: 'ask',
      loopPositions: null,
      nodeRuns: [NODE],
      nodeIterations: [],
      waits: [WAIT],
      ending: { kind: 'resting', status: 'waiting_for_input', wakeAt: null, answerCount: 0 },
    },
  ]);
  expect(verdict).toBe('written');
  await db.$executeRaw`
    UPDATE waits SET due_at = statement_timestamp() + ${dueInMs}::float8 * interval '1 millisecond'
    WHERE execution_id = ${executionId}::uuid`;
  return executionId;
}

const approve = (executionId: string): Promise<AnswerOutcome> =>
  answerWait(
    db,
    { userId: seed.userId, boundTo: null },
    {
      executionId,
      nodeId: 'ask',
      kind: 'approval',
      action: 'execution.decide',
      iteration: undefined,
      toAnswer: () => ({ decision: 'approved' }),
      isSame: (recorded) => recorded === '{"decision":"approved"}',
    },
  );

const waitOf = (executionId: string) => db.wait.findFirstOrThrow({ where: { executionId } });
const answersOf = async (id: string) => (await db.execution.findUniqueOrThrow({ where: { id } })).answerCount;

/** The waits of a run here. */
const WAITS = [{ nodeId: 'ask', iteration: '' }];

const ROUNDS = 25;
const RUNS_PER_ROUND = 8;
const DUE_IN_MS = 60;
const random = createRandom();

/** Answers a wait around its due time, while a worker ends it. @returns the response of the caller. */
async function race(index: number): Promise<AnswerOutcome> {
  const executionId = await restingRun(DUE_IN_MS);
  // The run continues with the first value that it saw.
  const seen = until(async () => (await endDueWaits(db, executionId, WAITS)).waits[0]);
  // Early, late, and at any time around it.
  if (index === 1) await seen;
  else if (index > 1) await sleep(DUE_IN_MS - 15 + random() * 20);
  const outcome = await approve(executionId);
  const { answer } = await waitOf(executionId);
  expect((await seen).answer).toBe(answer);
  expect(outcome.kind).toBe(answer === null ? 'ended' : 'recorded');
  expect(await answersOf(executionId)).toBe(answer === null ? 0 : 1);
  return outcome;
}

describe('an answer and the time of a wait', () => {
  it('have one winner, which is what the run continues with and what the caller is told', async () => {
    const told = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const outcomes = await Promise.all(Array.from({ length: RUNS_PER_ROUND }, (_, index) => race(index)));
      for (const { kind } of outcomes) told.add(kind);
    }
    // Each won at least once, so there was a race.
    expect(told).toEqual(new Set(['ended', 'recorded']));
  });

  it('leave an answer the loser that is on its way while the time ends the wait', async () => {
    const executionId = await restingRun(3_600_000);
    let outcome: Promise<AnswerOutcome> | undefined;
    await db.$transaction(async (tx) => {
      await tx.$executeRaw`UPDATE waits SET answered_at = now() WHERE execution_id = ${executionId}::uuid`;
      outcome = approve(executionId);
      await until(async () => (await countLockWaits(db)) > 0, 'the answer to wait for the row');
    });
    expect(await outcome).toMatchObject({ kind: 'ended', end: { answer: null, by: null } });
    expect(await waitOf(executionId)).toMatchObject({ answer: null, answeredBy: null });
    expect(await answersOf(executionId)).toBe(0);
  });

  it('are decided by the time that the database had, even if nobody has ended the wait yet', async () => {
    const executionId = await restingRun(-1);
    expect(await approve(executionId)).toMatchObject({ kind: 'ended', end: { answer: null, by: null } });
    expect((await endDueWaits(db, executionId, WAITS)).waits).toMatchObject([{ nodeId: 'ask', answer: null }]);
    expect(await answersOf(executionId)).toBe(0);
  });

  it('are told again whoever asks again, until the caller is told that the answer is recorded', async () => {
    const executionId = await restingRun(3_600_000);
    const unconfirmed = { kind: 'recorded', iteration: '', isUnconfirmed: true };
    expect(await approve(executionId)).toMatchObject({ ...unconfirmed, dispatch: 2 });
    expect(await approve(executionId)).toMatchObject({ ...unconfirmed, dispatch: 2 });
    await db.nodeRun.updateMany({ where: { executionId }, data: { status: 'success' } });
    expect(await approve(executionId)).toMatchObject({ ...unconfirmed, dispatch: null });
    await confirmAnswer(db, { executionId, nodeId: 'ask', iteration: '' });
    expect(await approve(executionId)).toMatchObject({
      kind: 'ended',
      end: { answer: '{"decision":"approved"}', by: seed.userId },
    });
  });
});

describe('the waits of a run', () => {
  it('say when the next one is due', async () => {
    const executionId = await restingRun(60_000);
    const { nextDueInMs, waits } = await endDueWaits(db, executionId, WAITS);
    expect(waits).toEqual([]);
    expect(nextDueInMs).toBeGreaterThan(0);
    expect(nextDueInMs).toBeLessThanOrEqual(60_000);
    await approve(executionId);
    expect(await endDueWaits(db, executionId, WAITS)).toMatchObject({ answerCount: 1, nextDueInMs: null });
  });

  it('keep the time at which they were answered when their own comes', async () => {
    const executionId = await restingRun(3_600_000);
    await approve(executionId);
    const answered = await waitOf(executionId);
    await db.$executeRaw`UPDATE waits SET due_at = answered_at WHERE execution_id = ${executionId}::uuid`;
    await endDueWaits(db, executionId, WAITS);
    expect(await waitOf(executionId)).toEqual({ ...answered, dueAt: answered.answeredAt });
  });
});

it('keeps an answer whose wait is cancelled at the same moment, and tells the next caller that nothing waits', async () => {
  const [answered, cancelled] = [await seed.accept(), await seed.accept()];
  const first = { epoch: 1, token: uuidv7(), checkpoint: 1, currentNodeId: 'ask', loopPositions: null, ending: null };
  const claim = { workerId: uuidv7(), digest: null, begunAt: performance.now() };
  const rows = { nodeRuns: [NODE], nodeIterations: [] };
  const wait = { ...WAIT, dueAt: null };
  const begin = { ...first, ...rows, claim, waits: [wait] };
  const end = { ...first, ...rows, claim: null, checkpoint: 2, waits: [{ ...wait, isCancelled: true as const }] };
  const runs = [answered, cancelled].map((executionId) => ({ ...begin, executionId, token: uuidv7() }));
  expect(await writeCheckpoints(db, runs)).toEqual(['written', 'written']);
  expect(await approve(answered)).toMatchObject({ kind: 'recorded' });
  const later = runs.map(({ executionId, token }) => ({ ...end, executionId, token }));
  expect(await writeCheckpoints(db, later)).toEqual(['written', 'written']);
  expect(await waitOf(answered)).toMatchObject({ answer: '{"decision":"approved"}', cancelledAt: null });
  expect(await waitOf(cancelled)).toMatchObject({
    answer: null,
    cancelledAt: expect.any(Date),
    answeredAt: expect.any(Date),
  });
  expect(await approve(cancelled)).toEqual({ kind: 'notWaiting' });
});

import { NodeError, type NodeRecord, type WaitAnswer } from '@deckhand/engine';
import { describe, expect, it } from '@jest/globals';
import { edges, type MemoryRun, runInMemory } from '../harness/engine.ts';
import { retried } from './retried.ts';
import { MAX_RETRY_DELAY_IN_WORKER_MS } from '../../packages/engine/src/run/progress.ts';

const LONG_MS = MAX_RETRY_DELAY_IN_WORKER_MS + 1;

/** Returns calls, the first of which fail with these errors. */
function fail(...errors: Error[]) {
  return () => errors.shift() ?? 'done';
}

const busy = new NodeError('BUSY', 'my turn comes', { retryAfterMs: 1 });
const ofCall = ({ last }: Pick<MemoryRun, 'last'>): NodeRecord => {
  const record = last.get('call/');
  if (!record) throw new Error('the node has no record');
  return record;
};
const failed = (message: string) => ({
  startedAt: expect.any(Number),
  finishedAt: expect.any(Number),
  error: { code: 'PROBE', message },
});

/** Requires that each attempt begins at the end of the one before, or later, and within the times of its node. */
function expectInOrder({ attemptHistory = [], startedAt, finishedAt }: NodeRecord): void {
  const times = attemptHistory.flatMap((each) => [each.startedAt, each.finishedAt ?? each.startedAt]);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(times.at(0)).toBe(startedAt);
  expect(times.at(-1)).toBe(finishedAt);
}

describe('the attempts of a node', () => {
  it('are not recorded while it makes its first', async () => {
    expect(ofCall(await runInMemory(retried(1))).attemptHistory).toBeUndefined();
    const once = await runInMemory(retried(1, { retry: undefined }), { answer: fail(new Error('no')) });
    expect(ofCall(once)).toMatchObject({ status: 'failed', attempts: 1 });
    expect(ofCall(once).attemptHistory).toBeUndefined();
  });

  it('are recorded with their times and errors from the second on', async () => {
    const run = await runInMemory(retried(1), { answer: fail(new Error('one'), new Error('two')) });
    const record = ofCall(run);
    expect(record.attemptHistory).toEqual([
      failed('one'),
      failed('two'),
      { startedAt: expect.any(Number), finishedAt: record.finishedAt, error: null },
    ]);
    expectInOrder(record);
    const shown = run.journal.filter(({ nodeId }) => nodeId === 'call').map((each) => each.attemptHistory?.length ?? 0);
    expect(shown).toEqual([0, 2, 3, 3]);
  });

  it('end with the error of the node if the last one fails', async () => {
    const run = await runInMemory(retried(1), { answer: fail(new Error('one'), new Error('two'), new Error('three')) });
    expect(ofCall(run).attemptHistory).toEqual([failed('one'), failed('two'), failed('three')]);
    expectInOrder(ofCall(run));
  });

  it('are kept by a pure node, too', async () => {
    const throwing = await runInMemory({
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'call', type: 'code', parameters: { source: 'return 1' }, retry: { maxAttempts: 2, delayMs: 1 } },
      ],
      edges: edges('start -> call'),
    });
    const record = ofCall(throwing);
    expect(record).toMatchObject({ status: 'failed', attempts: 2 });
    expect(record.attemptHistory).toHaveLength(2);
    expectInOrder(record);
  });

  it('outlive the worker while the node rests before the next one', async () => {
    const answer = fail(new Error('one'));
    const first = await runInMemory(retried(LONG_MS), { answer });
    expect(ofCall(first)).toMatchObject({ status: 'waiting', attemptHistory: [failed('one')] });
    const waitAnswers = new Map<string, WaitAnswer>([['call/~1', { kind: 'expired' }]]);
    const second = await runInMemory(retried(LONG_MS), { answer, records: first.last, waitAnswers });
    expect(ofCall(second)).toMatchObject({
      status: 'success',
      attemptHistory: [failed('one'), { finishedAt: ofCall(second).finishedAt, error: null }],
    });
  });

  it('include one that its worker did not survive, without an end', async () => {
    const dead = { ...ofCall(await runInMemory(retried(1))), status: 'running' as const, finishedAt: null };
    const records = new Map([['call/', { ...dead, output: undefined }]]);
    const record = ofCall(await runInMemory(retried(1), { records }));
    expect(record).toMatchObject({ status: 'success', attempts: 2 });
    expect(record.attemptHistory).toEqual([
      { startedAt: dead.startedAt, finishedAt: null, error: null },
      { startedAt: expect.any(Number), finishedAt: record.finishedAt, error: null },
    ]);
    const third = await runInMemory(retried(1), {
      records: new Map([['call/', { ...record, status: 'running', finishedAt: null, output: undefined }]]),
    });
    expect(ofCall(third).attemptHistory).toHaveLength(3);
  });

  it('leave out one that a pause prevented', async () => {
    let isPaused = false;
    let flushes = 0;
    const options = {
      answer: fail(new Error('one')),
      isPaused: () => isPaused,
      onFlush() {
        flushes += 1;
        isPaused = flushes === 2;
      },
    };
    const paused = await runInMemory(retried(1), options);
    expect(ofCall(paused)).toMatchObject({ status: 'pending', attempts: 1, attemptHistory: [failed('one')] });
    const resumed = await runInMemory(retried(1), { answer: options.answer, records: paused.last });
    expect(ofCall(resumed)).toMatchObject({ status: 'success', attempts: 2, attemptHistory: [{}, { error: null }] });
  });

  it('are bounded: the latest 20, and messages of 300 characters', async () => {
    const errors = Array.from({ length: 30 }, () => busy);
    const long = new Error('x'.repeat(1_000));
    const record = ofCall(await runInMemory(retried(1), { answer: fail(...errors, long) }));
    expect(record).toMatchObject({ status: 'success', attempts: 32 });
    expect(record.attemptHistory).toHaveLength(20);
    expect(record.attemptHistory?.at(0)?.error).toEqual({ code: 'BUSY', message: 'my turn comes' });
    expect(record.attemptHistory?.at(-2)?.error?.message).toHaveLength(301);
  });
});

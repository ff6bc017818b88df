import type { JsonValue } from '@deckhand/contracts';
import { NodeError, type WaitAnswer } from '@deckhand/engine';
import { describe, expect, it } from '@jest/globals';
import { edges, type MemoryRunOptions, runInMemory } from '../harness/engine.ts';
import { retried } from './retried.ts';
import { MAX_RETRY_DELAY_IN_WORKER_MS, retryDelayMs } from '../../packages/engine/src/run/progress.ts';
import { createVirtualWorld } from '@deckhand/testing/virtual-world';

const LONG_MS = MAX_RETRY_DELAY_IN_WORKER_MS + 1;

/** Returns calls, the first of which fail. */
function failFirst(failures: number): NonNullable<MemoryRunOptions['answer']> {
  let calls = 0;
  return () => ((calls += 1) <= failures ? new Error('not yet') : 'done');
}

const expired = (...keys: string[]) => new Map(keys.map((key): [string, WaitAnswer] => [key, { kind: 'expired' }]));

describe('a long delay before the next attempt of a node', () => {
  it('rests, with the attempts made and the last error for whoever reads the run', async () => {
    const { ending, last } = await runInMemory(retried(LONG_MS), { answer: failFirst(1) });
    expect(ending).toMatchObject({ kind: 'waiting', waits: [{ kind: 'time', dueAt: expect.any(Number) }] });
    expect(last.get('call/')).toMatchObject({
      status: 'waiting',
      attempts: 1,
      finishedAt: null,
      output: undefined,
      error: { code: 'PROBE', message: 'not yet' },
    });
  });

  it('rests on when another worker takes the run before its time, and again after the next attempt', async () => {
    const definition = retried(LONG_MS, { onInterrupt: 'fail' });
    const answer = failFirst(2);
    const first = await runInMemory(definition, { answer });
    const early = await runInMemory(definition, { answer, records: first.last });
    expect({ ending: early.ending.kind, calls: early.calls }).toEqual({ ending: 'waiting', calls: [] });

    const second = await runInMemory(definition, { answer, records: first.last, waitAnswers: expired('call/~1') });
    // The end of the first rest does not end the second.
    expect(second.ending.kind).toBe('waiting');
    expect(second.last.get('call/')).toMatchObject({ status: 'waiting', attempts: 2 });
    const third = await runInMemory(definition, {
      answer,
      records: second.last,
      waitAnswers: expired('call/~1', 'call/~2'),
    });
    expect(third.last.get('call/')).toMatchObject({ status: 'success', attempts: 3, error: null });
    expect(third.last.get('call/')?.startedAt).toBe(first.last.get('call/')?.startedAt);
  });

  it('is over when the last attempt has failed', async () => {
    const { last } = await runInMemory(retried(LONG_MS), { answer: failFirst(3) });
    const second = await runInMemory(retried(LONG_MS), {
      answer: failFirst(3),
      records: last,
      waitAnswers: expired('call/~1', 'call/~2'),
    });
    expect(second.ending).toMatchObject({ kind: 'failed', nodeId: 'call', error: { message: 'not yet' } });
    expect(second.last.get('call/')).toMatchObject({ status: 'failed', attempts: 3 });
  });

  it('that a node asks for itself is not an attempt that its retry counts', async () => {
    const failures: Error[] = [0, 0, 0].map(() => new NodeError('BUSY', 'my turn comes', { retryAfterMs: LONG_MS }));
    failures.push(...[0, 0].map(() => new NodeError('PROBE', 'not yet')));
    const answer = () => failures.shift() ?? 'done';
    let { last, ending } = await runInMemory(retried(1), { answer });
    for (const key of ['call/~1', 'call/~2', 'call/~3']) {
      expect(ending.kind).toBe('waiting');
      ({ last, ending } = await runInMemory(retried(1), { answer, records: last, waitAnswers: expired(key) }));
    }
    // Three attempts are left after the three rests.
    expect(ending.kind).toBe('success');
    expect(last.get('call/')).toMatchObject({ status: 'success', attempts: 6 });
  });

  it('that does not count is remembered when the worker dies during an attempt, or a pause holds it', async () => {
    const failures: Error[] = [0, 0, 0].map(() => new NodeError('BUSY', 'my turn comes', { retryAfterMs: LONG_MS }));
    const answer = () => failures.shift() ?? 'done';
    let { last } = await runInMemory(retried(1), { answer });
    for (const key of ['call/~1', 'call/~2']) {
      ({ last } = await runInMemory(retried(1), { answer, records: last, waitAnswers: expired(key) }));
    }
    const third = { answer, records: last, waitAnswers: expired('call/~3') };
    const died = await runInMemory(retried(1), {
      ...third,
      onRecord: ({ status }, abort) => status === 'running' && abort(),
    });
    let isPaused = false;
    const paused = await runInMemory(retried(1), {
      ...third,
      onRecord: ({ status }) => (isPaused ||= status === 'running'),
      isPaused: () => isPaused,
    });
    expect([died.last.get('call/')?.status, paused.last.get('call/')?.status]).toEqual(['running', 'pending']);
    // Of three attempts, the worker died during one; the pause came before it.
    for (const [{ last: records }, mayFail] of [
      [died, 1],
      [paused, 2],
    ] as const) {
      failures.splice(0);
      for (let n = 0; n < mayFail; n += 1) failures.push(new NodeError('PROBE', 'not yet'));
      expect((await runInMemory(retried(1), { answer, records })).ending.kind).toBe('success');
    }
  });

  it('lets no attempt begin while the run is paused', async () => {
    const answer = failFirst(1);
    const { last } = await runInMemory(retried(LONG_MS), { answer });
    const options = { answer, records: last, waitAnswers: expired('call/~1') };
    const paused = await runInMemory(retried(LONG_MS), { ...options, isPaused: () => true });
    expect({ ending: paused.ending.kind, calls: paused.calls }).toEqual({ ending: 'halted', calls: [] });
    expect((await runInMemory(retried(LONG_MS), options)).ending.kind).toBe('success');
  });

  it('ends in time beside a branch that keeps the run going', async () => {
    const world = createVirtualWorld();
    const startedAt = world.now();
    const { nodes, edges: links } = retried(LONG_MS);
    const definition = {
      nodes: [...nodes, { id: 'long', type: 'probe' }],
      edges: [...links, ...edges('start -> long')],
    };
    const inTime = failFirst(2);
    const { ending, last } = await runInMemory(definition, {
      world,
      answer: (key, call) => (key === 'long/' ? world.sleep(3_600_000).then(() => 1) : inTime(key, call)),
    });
    expect(ending.kind).toBe('success');
    expect(last.get('call/')?.finishedAt).toBe(startedAt + 2 * LONG_MS);
  });

  it('of many nodes at once leads to no more attempts at a time than the run may have in flight', async () => {
    const world = createVirtualWorld();
    const ids = Array.from({ length: 100 }, (_, i) => `n${i}`);
    const definition = {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'long', type: 'probe' },
        ...ids.map((id) => ({ id, type: 'probe', retry: { maxAttempts: 2, delayMs: LONG_MS } })),
      ],
      edges: edges('start -> long', ...ids.map((id) => `start -> ${id}`)),
    };
    let inFlight = 0;
    let most = 0;
    const { ending } = await runInMemory(definition, {
      world,
      async answer(key, call) {
        if (call === 1 && key !== 'long/') throw new Error('not yet');
        inFlight += 1;
        most = Math.max(most, inFlight);
        await world.sleep(key === 'long/' ? 3_600_000 : 1_000);
        inFlight -= 1;
        return 1;
      },
    });
    expect({ ending: ending.kind, most }).toEqual({ ending: 'success', most: 64 });
  });

  it('is to earlier workers no wait of the node, but a node that has begun', async () => {
    const { last } = await runInMemory(retried(LONG_MS), { answer: failFirst(1) });
    expect(last.get('call/')?.state).toEqual({ retry: { dueAt: expect.any(Number) } });
  });
});

describe('a minimum delay that the other side asked for', () => {
  const MIN_MS = 90_000;
  const asked = (minRetryDelayMs: number, isRetryable = true) => {
    let calls = 0;
    return (): JsonValue => {
      calls += 1;
      if (calls === 1) throw new NodeError('PROBE', 'too many', { minRetryDelayMs, isRetryable });
      return 'done';
    };
  };
  const duration = async (definition: object, answer: () => JsonValue): Promise<number> => {
    const world = createVirtualWorld();
    const startedAt = world.now();
    const { ending, last } = await runInMemory(definition, { world, answer });
    if (ending.kind !== 'waiting') return world.now() - startedAt;
    const [wait] = ending.waits;
    expect(last.get('call/')).toMatchObject({ status: 'waiting', attempts: 1 });
    return (wait?.dueAt ?? 0) - startedAt;
  };

  it('is waited for, at rest if it is long', async () => {
    expect(await duration(retried(10), asked(MIN_MS))).toBe(MIN_MS);
    expect(await duration(retried(10), asked(1_000))).toBe(1_000);
  });

  it('does not shorten a longer delay, and counts up to a day', async () => {
    const long = retried(10, { retry: { maxAttempts: 2, delayMs: MIN_MS, maxDelayMs: MIN_MS } });
    expect(await duration(long, asked(5))).toBe(MIN_MS);
    expect(await duration(retried(10), asked(Infinity))).toBe(86_400_000);
  });

  it('leads to no attempt that the node does not have', async () => {
    const single = retried(10, { retry: { maxAttempts: 1 } });
    expect((await runInMemory(single, { answer: asked(MIN_MS) })).ending.kind).toBe('failed');
    expect((await runInMemory(retried(10), { answer: asked(MIN_MS, false) })).ending.kind).toBe('failed');
  });

  it('is followed by the attempts of many nodes at different times', () => {
    const retry = { maxAttempts: 3, delayMs: 1_000, factor: 1, maxDelayMs: 1_000 };
    expect(retryDelayMs(retry, 1, 0, MIN_MS)).toBe(MIN_MS);
    expect(retryDelayMs(retry, 1, 0.5, MIN_MS)).toBe(MIN_MS + 100);
    expect(retryDelayMs(retry, 1, 0.5, 0)).toBe(900);
  });
});

describe('a short delay before the next attempt of a node', () => {
  it('is spent in the worker', async () => {
    const { ending, journal } = await runInMemory(retried(MAX_RETRY_DELAY_IN_WORKER_MS), { answer: failFirst(2) });
    expect(ending.kind).toBe('success');
    expect(journal.filter(({ status }) => status === 'waiting')).toEqual([]);
  });
});

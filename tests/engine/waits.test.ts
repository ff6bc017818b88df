import type { WaitAnswer } from '@deckhand/engine';
import { describe, expect, it } from '@jest/globals';
import { edges, lastRecords, type MemoryRun, runInMemory } from '../harness/engine.ts';
import { createVirtualWorld } from '@deckhand/testing/virtual-world';

const start = { id: 'start', type: 'trigger.manual' };
const approved: WaitAnswer = { kind: 'answered', value: { decision: 'approved', approved: true, by: 'ada' } };

const approval = {
  nodes: [
    start,
    { id: 'ask', type: 'approval', parameters: { message: 'Pay {{ $trigger.sum }}?', timeoutSeconds: 60 } },
    { id: 'pay', type: 'probe' },
    { id: 'refuse', type: 'probe' },
    { id: 'aside', type: 'probe' },
  ],
  edges: edges('start -> ask', 'ask.approved -> pay', 'ask.rejected -> refuse', 'start -> aside'),
};

/** Runs until it rests, then resumes from its records with the given answers. */
async function answerLater(definition: object, waitAnswers: ReadonlyMap<string, WaitAnswer>) {
  const first = await runInMemory(definition);
  const second = await runInMemory(definition, { records: lastRecords(first.journal), waitAnswers });
  return { first, second };
}

describe('an approval', () => {
  it('lets the other branches finish, then rests with what a person has to decide', async () => {
    const { ending, calls, last } = await runInMemory(approval, { trigger: { sum: 5 } });
    expect(calls).toEqual(['aside/']);
    expect(ending).toMatchObject({
      kind: 'waiting',
      waits: [{ kind: 'approval', details: { message: 'Pay 5?', choices: ['approved', 'rejected'] } }],
    });
    expect(last.get('ask/')?.status).toBe('waiting');
  });

  it('continues by the choice that was made', async () => {
    const { second } = await answerLater(approval, new Map([['ask/', approved]]));
    expect(second.ending.kind).toBe('success');
    expect(second.calls).toEqual(['pay/']);
    expect(second.last.get('ask/')).toMatchObject({ status: 'success', handle: 'approved', output: { by: 'ada' } });
    expect(second.last.get('refuse/')?.status).toBe('skipped');
  });

  it('that nobody decides in time fails', async () => {
    const { second } = await answerLater(approval, new Map([['ask/', { kind: 'expired' }]]));
    expect(second.ending).toMatchObject({ kind: 'failed', nodeId: 'ask', error: { code: 'APPROVAL_TIMEOUT' } });
  });

  it('rests again when the run is taken up without an answer', async () => {
    const { second } = await answerLater(approval, new Map());
    expect(second.ending.kind).toBe('waiting');
    expect(second.calls).toEqual([]);
  });

  it('takes its first choice, or its mock, in sandbox mode', async () => {
    const { calls } = await runInMemory(approval, { mode: 'sandbox', trigger: { sum: 1 } });
    expect(calls).toEqual([]);
    const mocked = {
      ...approval,
      nodes: approval.nodes.map((node) => (node.id === 'ask' ? { ...node, mock: { decision: 'rejected' } } : node)),
    };
    const { last } = await runInMemory(mocked, { mode: 'sandbox', trigger: { sum: 1 } });
    expect(last.get('ask/')?.handle).toBe('rejected');
    expect(last.get('refuse/')?.output).toEqual({ sample: true });
  });
});

describe('waits inside a loop', () => {
  const looped = {
    nodes: [
      start,
      { id: 'each', type: 'loop', parameters: { items: ['a', 'b', 'c'], concurrency: 2 } },
      { id: 'ask', type: 'approval', parameters: { message: '{{ $loop.item }}?' } },
      { id: 'then', type: 'probe' },
    ],
    edges: edges('start -> each', 'each.body -> ask', 'ask.approved -> then'),
  };

  it('are one per open iteration, and each continues by its own answer', async () => {
    const first = await runInMemory(looped);
    expect(first.ending).toMatchObject({ kind: 'waiting', waits: [{}, {}] });
    const records = lastRecords(first.journal);
    const second = await runInMemory(looped, { records, waitAnswers: new Map([['ask/1', approved]]) });
    expect(second.calls).toEqual(['then/1']);
    expect(second.ending).toMatchObject({
      kind: 'waiting',
      waits: [{ details: { message: 'a?' } }, { details: { message: 'c?' } }],
    });
  });
});

describe('a wait node', () => {
  const pause = (parameters: object) => ({
    nodes: [start, { id: 'pause', type: 'wait', parameters }, { id: 'next', type: 'probe' }],
    edges: edges('start -> pause', 'pause -> next'),
  });

  it('rests until it is due, then passes its input on', async () => {
    const definition = pause({ seconds: 30 });
    const { first, second } = await answerLater(definition, new Map([['pause/', { kind: 'expired' }]]));
    expect(first.ending).toMatchObject({ kind: 'waiting', waits: [{ kind: 'time' }] });
    expect(second.calls).toEqual(['next/']);
  });

  it('does not wait for what is past', async () => {
    expect((await runInMemory(pause({ until: '1970-01-01T00:00:00Z' }))).calls).toEqual(['next/']);
  });

  it('fails for what is not a time', async () => {
    const { ending } = await runInMemory(pause({ until: '{{ "soon" }}' }));
    expect(ending).toMatchObject({ kind: 'failed', error: { code: 'PARAMETERS_INVALID' } });
  });
});

describe('beside a call of an hour', () => {
  const HOUR_MS = 3_600_000;

  async function besideCall(
    ...nodes: object[]
  ): Promise<{ last: MemoryRun['last']; startedAt: number; endedAt: number }> {
    const world = createVirtualWorld();
    const startedAt = world.now();
    const definition = {
      nodes: [start, { id: 'call', type: 'probe' }, ...nodes, { id: 'after', type: 'set', parameters: { fields: {} } }],
      edges: edges('start -> call', 'start -> it', 'it -> after'),
    };
    const { ending, last } = await runInMemory(definition, { world, answer: () => world.sleep(HOUR_MS).then(() => 1) });
    expect(ending).toMatchObject({ kind: 'success' });
    return { last, startedAt, endedAt: world.now() };
  }

  it.each([
    { id: 'it', type: 'wait', parameters: { seconds: 30 } },
    { id: 'it', type: 'human', onError: 'continue', parameters: { title: '?', schema: {}, timeoutSeconds: 30 } },
  ])('$type ends on time', async (node) => {
    const { last, startedAt, endedAt } = await besideCall(node);
    expect(last.get('it/')?.finishedAt).toBe(startedAt + 30_000);
    expect(last.get('after/')).toMatchObject({ status: 'success', finishedAt: startedAt + 30_000 });
    expect(endedAt).toBe(startedAt + HOUR_MS);
  });
});

describe('an answer that comes while other runs have their turn', () => {
  it('lets the run continue instead of resting', async () => {
    const answers = new Map<string, WaitAnswer>();
    const fillers = Array.from({ length: 40 }, (_, i) => ({ id: `f${i}`, type: 'set', parameters: { fields: {} } }));
    const definition = {
      nodes: [start, ...approval.nodes.slice(1, 4), ...fillers],
      edges: edges(
        'start -> ask',
        'ask.approved -> pay',
        'ask.rejected -> refuse',
        ...fillers.map(({ id }, i) => (i === 0 ? `start -> ${id}` : `f${i - 1} -> ${id}`)),
      ),
    };
    const { ending, calls } = await runInMemory(definition, {
      trigger: { sum: 1 },
      waitAnswers: answers,
      onBreathe: () => answers.set('ask/', approved),
    });
    expect({ kind: ending.kind, calls }).toEqual({ kind: 'success', calls: ['pay/'] });
  });
});

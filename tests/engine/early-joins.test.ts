import type { Definition, JsonObject, JsonValue } from '@deckhand/contracts';
import { NodeError, type NodeRecord, recordKey } from '@deckhand/engine';
import { describe, expect, it } from '@jest/globals';
import { edges, runInMemory, runToEnd } from '../harness/engine.ts';
import { createVirtualWorld, type VirtualWorld } from '@deckhand/testing/virtual-world';

const probe = (id: string, more: object = {}) => ({ id, type: 'probe', ...more });
const merge = (parameters: JsonObject) => ({ id: 'join', type: 'merge', parameters });
const start = { id: 'start', type: 'trigger.manual' };

/** Probes that take so many ms; -1 for never. */
function taking(world: VirtualWorld, times: Record<string, number>) {
  return async (key: string): Promise<JsonValue> => {
    const ms = times[key.split('/')[0] ?? ''] ?? 0;
    await (ms < 0 ? new Promise(() => undefined) : world.sleep(ms));
    return key;
  };
}

async function race(definition: Definition, times: Record<string, number>) {
  const world = createVirtualWorld();
  const run = await runInMemory(definition, { world, answer: taking(world, times) });
  const statuses = Object.fromEntries([...run.last].map(([key, { status }]) => [key, status]));
  return { ...run, statuses, endedAt: world.now() };
}

const three: Definition = {
  nodes: [start, probe('a'), probe('b'), probe('c'), merge({ mode: 'count', count: 2 }), probe('after')],
  edges: edges('start -> a', 'start -> b', 'start -> c', 'a -> join', 'b -> join', 'c -> join', 'join -> after'),
};

describe('a merge that does not wait for all branches', () => {
  it('takes the first that come, in their order, and cancels the rest', async () => {
    const { ending, last, statuses, endedAt } = await race(three, { a: 200, b: 100, c: -1 });
    expect(ending.kind).toBe('success');
    expect(last.get('join/')?.output).toEqual(['b/', 'a/']);
    expect(statuses).toMatchObject({ 'c/': 'stopped', 'after/': 'success' });
    expect(last.get('c/')).toMatchObject({ startedAt: 1_000, attempts: 1, output: undefined, error: null });
    // The run does not wait for a node that does not heed its signal.
    expect(endedAt).toBe(1_200);
  });

  it('does not start what was to come on the way, and skips it', async () => {
    const definition: Definition = {
      nodes: [start, probe('fast'), probe('slow'), probe('next'), probe('beside'), merge({ mode: 'any' })],
      edges: edges(
        ...['start -> fast', 'start -> slow', 'slow -> next', 'slow -> beside'],
        ...['fast -> join', 'next -> join'],
      ),
    };
    const { statuses, calls, last } = await race(definition, { slow: 100 });
    // Another path needs `slow`.
    expect(statuses).toMatchObject({ 'slow/': 'success', 'beside/': 'success', 'next/': 'skipped' });
    expect(calls).not.toContain('next/');
    expect(last.get('join/')?.output).toBe('fast/');
  });

  it('lets the others finish if it is told to', async () => {
    const definition = {
      ...three,
      nodes: three.nodes.map((node) =>
        node.id === 'join' ? merge({ mode: 'count', count: 2, cancelRest: false }) : node,
      ),
    };
    const { statuses, last } = await race(definition, { a: 200, b: 100, c: 300 });
    expect(last.get('join/')?.output).toEqual(['b/', 'a/']);
    expect(last.get('after/')?.startedAt).toBe(1_200);
    expect(statuses).toMatchObject({ 'c/': 'success' });
  });

  it('fails when fewer branches come than it needs', async () => {
    const definition: Definition = {
      nodes: [
        start,
        { id: 'no', type: 'if', parameters: { condition: false } },
        probe('a'),
        merge({ mode: 'count', count: 2 }),
      ],
      edges: edges('start -> a', 'start -> no', 'no.true -> join', 'a -> join'),
    };
    expect((await race(definition, {})).ending).toMatchObject({ kind: 'failed', error: { code: 'MERGE_INCOMPLETE' } });
  });

  it('does not fail the run with a branch that fails too late', async () => {
    const world = createVirtualWorld();
    const run = await runInMemory(three, {
      world,
      answer: async (key) => {
        await world.sleep({ 'c/': 300, 'after/': 500 }[key] ?? 100);
        if (key === 'c/') throw new NodeError('PROBE', 'late');
        return key;
      },
    });
    expect(run.ending.kind).toBe('success');
    expect(run.last.get('c/')?.status).toBe('stopped');
  });

  it('keeps what its records settle, although it decides before they are replayed', async () => {
    const definition: Definition = {
      nodes: [start, probe('a'), probe('b'), probe('next'), merge({ mode: 'any' }), probe('after')],
      edges: edges('start -> a', 'start -> b', 'b -> next', 'a -> join', 'next -> join', 'join -> after'),
    };
    const { journal } = await race(definition, { a: 100, b: 50, next: 500 });
    const isOf = ({ nodeId, status }: NodeRecord) => ['start', 'a', 'b'].includes(nodeId) && status === 'success';
    const records = new Map(journal.filter(isOf).map((record) => [recordKey(record.nodeId, ''), record]));
    expect(records.size).toBe(3);
    const again = await runToEnd(definition, { records });
    expect(again.calls).toEqual(['after/']);
    expect(again.last.get('join/')?.state).toEqual({ join: { taken: [0], cancelled: ['next'] } });
  });

  it('cancels loops with all of their iterations, and waits', async () => {
    const definition: Definition = {
      nodes: [
        start,
        { id: 'each', type: 'loop', parameters: { items: [1, 2, 3], concurrency: 2 } },
        probe('inside'),
        { id: 'asks', type: 'wait', parameters: { seconds: 3_600 } },
        probe('fast'),
        merge({ mode: 'any' }),
      ],
      edges: edges(
        ...['start -> each', 'each.body -> inside', 'each.done -> join'],
        ...['start -> asks', 'asks -> join', 'start -> fast', 'fast -> join'],
      ),
    };
    const { ending, statuses, calls } = await race(definition, { inside: 500, fast: 50 });
    expect(ending.kind).toBe('success');
    expect(calls).toEqual(['fast/', 'inside/0', 'inside/1']);
    expect(statuses).toEqual({
      ...{ 'start/': 'success', 'fast/': 'success', 'join/': 'success' },
      ...{ 'each/': 'stopped', 'inside/0': 'stopped', 'inside/1': 'stopped', 'asks/': 'stopped' },
    });
  });

  it('stops the nodes in a loop that it cancels before the loop is replayed', async () => {
    const definition: Definition = {
      nodes: [
        start,
        probe('fast'),
        { id: 'each', type: 'loop', parameters: { items: [1, 2], concurrency: 2 } },
        probe('inside'),
        merge({ mode: 'any' }),
      ],
      edges: edges(
        ...['start -> fast', 'fast -> join'],
        ...['start -> each', 'each.body -> inside', 'each.done -> join'],
      ),
    };
    const { last } = await race(definition, { inside: 500, fast: 50 });
    const finished = new Map([...last].filter(([, { status }]) => status === 'success'));
    const begun = await runInMemory(definition, {
      answer: () => new Promise<JsonValue>(() => undefined),
      onRecord: ({ iteration }, abort) => iteration === '1' && abort(),
    });
    // A worker died after `fast` was finished, and before the merge decided.
    const records = new Map([...begun.last, ...finished]);
    records.delete('join/');
    const again = await runToEnd(definition, { records });
    const stopped = ['each/', 'inside/0', 'inside/1'].map((key) => [key, again.last.get(key)?.status]);
    expect([again.calls, stopped]).toEqual([
      [],
      [
        ['each/', 'stopped'],
        ['inside/0', 'stopped'],
        ['inside/1', 'stopped'],
      ],
    ]);
  });

  it('decides the same after a crash, whatever the records say about the others', async () => {
    const first = await race(three, { a: 200, b: 100, c: -1 });
    // Everything up to the decision is on disk, and nothing after it.
    const decided = first.journal.findIndex(({ nodeId, status }) => nodeId === 'join' && status === 'pending');
    const isOfStep = ({ status }: NodeRecord) => status === 'pending' || status === 'stopped' || status === 'skipped';
    const end = first.journal.findIndex((record, index) => index > decided && !isOfStep(record));
    const records = new Map(
      first.journal.slice(0, end).map((record) => [recordKey(record.nodeId, record.iteration), record]),
    );
    expect(records.get('join/')).toMatchObject({
      status: 'pending',
      state: { join: { taken: [1, 0], cancelled: ['c'] } },
    });
    const again = await runToEnd(three, { records });
    expect(again.calls).toEqual(['after/']);
    expect(again.last.get('join/')?.output).toEqual(['b/', 'a/']);
  });

  it('is refused when fewer edges lead to it than it needs', async () => {
    const definition = { ...three, edges: three.edges.filter(({ source }) => source !== 'c' && source !== 'b') };
    await expect(runInMemory(definition)).rejects.toThrow('2 branches cannot come');
  });
});

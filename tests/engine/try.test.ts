import type { Definition } from '@deckhand/contracts';
import { NodeError, type NodeRecord, recordKey, reuseRecords } from '@deckhand/engine';
import { describe, expect, it } from '@jest/globals';
import { compileForTest, edges, lastRecords, type MemoryRun, runInMemory, runToEnd } from '../harness/engine.ts';
import { createVirtualWorld } from '@deckhand/testing/virtual-world';

const start = { id: 'start', type: 'trigger.manual' };
const attempt = { id: 'try', type: 'try' };
const probe = (id: string, more: object = {}) => ({ id, type: 'probe', ...more });
const statusesOf = ({ last }: MemoryRun) => Object.fromEntries([...last].map(([key, { status }]) => [key, status]));
/** Answers by the key; the named ones fail. */
const failing =
  (...keys: string[]) =>
  (key: string) =>
    keys.includes(key) ? new NodeError('DECLINED', `${key} failed`) : key;

const simple: Definition = {
  nodes: [start, attempt, probe('a'), probe('b'), probe('well'), probe('ill'), probe('end')],
  edges: edges(
    ...['start -> try', 'try.body -> a', 'a -> b', 'try.success -> well', 'try.error -> ill'],
    ...['well -> end', 'ill -> end'],
  ),
};

describe('a try', () => {
  it('is left by success, with the output of its body', async () => {
    const run = await runInMemory(simple);
    expect(run.ending.kind).toBe('success');
    expect(run.last.get('try/')).toMatchObject({ status: 'success', handle: 'success', output: { ok: true } });
    expect(run.calls).toEqual(['a/', 'b/', 'well/', 'end/']);
    const two = { ...simple, edges: edges('start -> try', 'try.body -> a', 'try.body -> b') };
    const several = await runInMemory(two, { answer: failing() });
    expect(several.last.get('try/')?.output).toEqual({ a: 'a/', b: 'b/' });
  });

  it('is left by error with the failure, after the retries of its node', async () => {
    const retry = { maxAttempts: 3, delayMs: 1 };
    const nodes = simple.nodes.map((node) => (node.id === 'b' ? probe('b', { retry }) : node));
    const run = await runInMemory({ ...simple, nodes }, { answer: failing('b/') });
    expect(run.ending.kind).toBe('success');
    expect(run.last.get('try/')).toMatchObject({
      ...{ status: 'success', handle: 'error' },
      output: { error: { nodeId: 'b', code: 'DECLINED', message: 'b/ failed' } },
    });
    expect(run.last.get('b/')).toMatchObject({ status: 'failed', attempts: 3 });
    expect(run.calls).toEqual(['a/', 'b/', 'b/', 'b/', 'ill/', 'end/']);
    expect(statusesOf(run)).toMatchObject({ 'well/': 'skipped', 'end/': 'success' });
  });

  it('keeps the result of a Terminal node in its body when another worker continues after it', async () => {
    const definition = {
      nodes: [
        ...[start, attempt, { id: 'inner', type: 'try' }],
        { id: 'first', type: 'terminal', parameters: { body: 'first' } },
        { id: 'second', type: 'terminal', parameters: { body: 'second', statusCode: 201 } },
        probe('later'),
      ],
      edges: edges(
        'start -> try',
        'try.body -> first',
        'first -> inner',
        'inner.body -> second',
        'try.success -> later',
      ),
    };
    const result = { body: 'second', statusCode: 201, headers: {} };
    expect((await runInMemory(definition)).ending).toEqual({ kind: 'success', result });
    const died = await runInMemory(definition, { onRecord: ({ nodeId }, abort) => nodeId === 'later' && abort() });
    expect((await runInMemory(definition, { records: died.last })).ending).toEqual({ kind: 'success', result });
  });

  it('without a body passes its input on, and without edges at error swallows the failure', async () => {
    const empty = { nodes: [start, probe('a'), attempt], edges: edges('start -> a', 'a -> try') };
    expect((await runInMemory(empty)).last.get('try/')?.output).toEqual({ ok: true });
    const deaf = { nodes: [start, attempt, probe('a')], edges: edges('start -> try', 'try.body -> a') };
    expect((await runInMemory(deaf, { answer: failing('a/') })).ending.kind).toBe('success');
  });

  it('does not catch what its nodes handle themselves, nor failures behind it', async () => {
    const handled = simple.nodes.map((node) => (node.id === 'a' ? probe('a', { onError: 'continue' }) : node));
    const run = await runInMemory({ ...simple, nodes: handled }, { answer: failing('a/') });
    expect(run.calls).toEqual(['a/', 'b/', 'well/', 'end/']);
    for (const keys of [['well/'], ['b/', 'ill/']]) {
      const { ending } = await runInMemory(simple, { answer: failing(...keys) });
      expect(ending).toMatchObject({ kind: 'failed', nodeId: keys.at(-1)?.slice(0, -1) });
    }
  });

  it('cancels what is in progress beside the failure: calls, waits, loops and rests before an attempt', async () => {
    const world = createVirtualWorld();
    const definition: Definition = {
      nodes: [
        ...[start, attempt, probe('bad'), probe('slow'), probe('next')],
        { id: 'waits', type: 'wait', parameters: { seconds: 3_600 } },
        { id: 'each', type: 'loop', parameters: { items: [1, 2, 3], concurrency: 2 } },
        probe('inside'),
        probe('rests', { retry: { maxAttempts: 2, delayMs: 60_000 } }),
        probe('ill'),
      ],
      edges: edges(
        ...['start -> try', 'try.body -> bad', 'try.body -> slow', 'slow -> next', 'try.body -> waits'],
        ...['try.body -> each', 'each.body -> inside', 'try.body -> rests', 'try.error -> ill'],
      ),
    };
    const run = await runInMemory(definition, {
      world,
      answer: async (key) => {
        if (key === 'rests/') throw new NodeError('BUSY', 'later');
        await world.sleep(key === 'bad/' ? 100 : 1_000_000);
        if (key === 'bad/') throw new NodeError('DECLINED', 'no');
        return key;
      },
    });
    expect(statusesOf(run)).toMatchObject({
      ...{ 'bad/': 'failed', 'slow/': 'stopped', 'next/': 'skipped', 'waits/': 'stopped', 'each/': 'stopped' },
      ...{ 'inside/0': 'stopped', 'inside/1': 'stopped', 'rests/': 'stopped', 'try/': 'success' },
    });
    expect(run.last.has('inside/2')).toBe(false);
    expect(run.calls).toContain('ill/');
  });

  it('catches by the innermost one, also from loops, and inside of each iteration by itself', async () => {
    const nested: Definition = {
      nodes: [
        ...[
          start,
          { id: 'each', type: 'loop', parameters: { items: [0, 1, 2] } },
          attempt,
          { id: 'inner', type: 'try' },
        ],
        ...[{ id: 'two', type: 'loop', parameters: { items: ['x', 'y'] } }, probe('a'), probe('undo'), probe('b')],
        { id: 'note', type: 'set', parameters: { fields: { at: '{{ $loop.index }}', error: '{{ $input.error }}' } } },
      ],
      edges: edges(
        ...['start -> each', 'each.body -> try', 'try.body -> inner', 'inner.body -> two', 'two.body -> a'],
        ...['inner.error -> undo', 'undo -> b', 'try.error -> note'],
      ),
    };
    const run = await runInMemory(nested, { answer: failing('a/1.1', 'b/1', 'a/2.0') });
    expect(run.ending.kind).toBe('success');
    expect(run.last.get('inner/1')).toMatchObject({
      handle: 'error',
      output: { error: { nodeId: 'a', iteration: '1.1' } },
    });
    expect(run.last.get('inner/2')?.handle).toBe('error');
    expect([0, 1, 2].map((index) => run.last.get(`try/${index}`)?.handle)).toEqual(['success', 'error', 'success']);
    // In the body of a try, the iteration is that of the loop around it.
    expect(run.last.get('note/1')?.output).toMatchObject({ at: 1, error: { nodeId: 'b', iteration: '1' } });
  });

  it('does not catch the end of the run from outside', async () => {
    let abort = (): void => undefined;
    const run = await runInMemory(simple, {
      answer: (key) => {
        if (key === 'b/') abort();
        return failing('b/')(key);
      },
      onRecord: (_record, die) => (abort = die),
    });
    expect(run.ending.kind).toBe('halted');
    expect(run.last.get('try/')?.status).toBe('running');
    expect(run.last.has('ill/')).toBe(false);
  });

  it('waits within it, and continues with another worker', async () => {
    const definition: Definition = {
      nodes: [start, attempt, { id: 'w', type: 'wait', parameters: { seconds: 60 } }, probe('b'), probe('ill')],
      edges: edges('start -> try', 'try.body -> w', 'w -> b', 'try.error -> ill'),
    };
    const run = await runToEnd(definition, { answer: failing('b/') });
    expect(run.calls).toEqual(['b/', 'ill/']);
    expect(run.ending.kind).toBe('success');
  });

  it('that has caught a failure stays as it is after a crash', async () => {
    const { journal } = await runInMemory(simple, { answer: failing('b/') });
    const at = journal.findIndex(({ nodeId, status }) => nodeId === 'try' && status === 'success');
    const again = await runInMemory(simple, { records: lastRecords(journal.slice(0, at + 1)) });
    expect(again.calls).toEqual(['ill/', 'end/']);
    // Also if it has not recorded yet that it caught the failure.
    const before = await runInMemory(simple, { records: lastRecords(journal.slice(0, at)) });
    expect(before.calls).toEqual(['ill/', 'end/']);
  });

  it.each([
    ['itself', simple],
    [
      'in a loop',
      {
        nodes: [start, attempt, { id: 'each', type: 'loop', parameters: { items: [1] } }, probe('b'), probe('ill')],
        edges: edges('start -> try', 'try.body -> each', 'each.body -> b', 'try.error -> ill'),
      },
    ],
  ])('hands on the response that was a failure of its body %s, also to another worker', async (_where, definition) => {
    const details = { status: 422, headers: { 'x-a': 'b' }, body: { reason: 'sold out' } };
    const { journal, last } = await runInMemory(definition, {
      answer: (key) => {
        if (key.startsWith('b/')) throw new NodeError('HTTP_STATUS', 'answered 422', { isRetryable: false, details });
        return key;
      },
    });
    const caught = last.get('try/');
    expect(caught?.output).toMatchObject({ error: { nodeId: 'b', code: 'HTTP_STATUS', ...details } });
    const at = journal.findIndex(({ nodeId, status }) => nodeId === 'try' && status === 'success');
    const resumed = await runInMemory(definition, { records: lastRecords(journal.slice(0, at)) });
    expect(resumed.last.get('try/')).toMatchObject({ handle: 'error', output: caught?.output });
  });

  it.each([
    ['a -> end', 'is inside the body of try'],
    ['try -> end', 'leaves by body, error, success'],
  ])('refuses the edge %s', async (edge, message) => {
    const definition = { ...simple, edges: [...simple.edges, ...edges(edge)] };
    await expect(compileForTest(definition)).rejects.toThrow(message);
  });

  it('hides its body: outside of it, its own output is read', async () => {
    const nodes = [
      ...simple.nodes,
      { id: 'reads', type: 'set', parameters: { fields: { a: '{{ $nodes.a.output }}' } } },
    ];
    await expect(compileForTest({ nodes, edges: [...simple.edges, ...edges('end -> reads')] })).rejects.toThrow(
      'outside of it, read $nodes.try.output',
    );
  });
});

describe('a rerun from a node in a try', () => {
  async function rerun(definition: Definition, from: string, failed: readonly string[]) {
    const original = await runToEnd(definition, { answer: failing(...failed) });
    const workflow = await compileForTest(definition);
    // A worker reads nodes that were stopped as ones that may continue.
    const records = new Map(
      [...original.last].map(([key, record]): [string, NodeRecord] => [
        key,
        record.status === 'stopped' ? { ...record, status: 'running' } : record,
      ]),
    );
    return runToEnd(definition, { records: reuseRecords({ workflow, triggerNodeId: 'start', records }, from) });
  }

  it('repeats that node, and nothing before it', async () => {
    expect((await rerun(simple, 'b', ['b/'])).calls).toEqual(['b/', 'well/', 'end/']);
    expect((await rerun(simple, 'b', [])).calls).toEqual(['b/', 'well/', 'end/']);
    expect((await rerun(simple, 'ill', ['b/'])).calls).toEqual(['ill/', 'end/']);
  });

  it('repeats the failure that the try caught, wherever it was', async () => {
    const beside: Definition = {
      nodes: [start, attempt, probe('a'), probe('b'), probe('c')],
      edges: edges('start -> try', 'try.body -> a', 'a -> b', 'a -> c'),
    };
    const { calls, last } = await rerun(beside, 'c', ['b/']);
    expect([...calls].sort()).toEqual(['b/', 'c/']);
    expect(last.get(recordKey('try', ''))?.handle).toBe('success');
  });

  it('keeps finished iterations of a loop that the failure cancelled', async () => {
    const looped: Definition = {
      nodes: [start, attempt, { id: 'each', type: 'loop', parameters: { items: [0, 1, 2] } }, probe('a'), probe('b')],
      edges: edges('start -> try', 'try.body -> each', 'each.body -> a', 'a -> b'),
    };
    expect((await rerun(looped, 'b', ['b/1'])).calls).toEqual(['b/1', 'a/2', 'b/2']);
    expect((await rerun(looped, 'b', [])).calls).toEqual(['b/0', 'b/1', 'b/2']);
  });

  it('leaves a try alone in iterations that finished', async () => {
    const each: Definition = {
      nodes: [
        start,
        { id: 'each', type: 'loop', parameters: { items: [0, 1, 2] } },
        attempt,
        probe('a'),
        probe('after'),
      ],
      edges: edges('start -> each', 'each.body -> try', 'try.body -> a', 'try.success -> after', 'try.error -> after'),
    };
    expect((await rerun(each, 'a', ['a/0', 'after/1'])).calls).toEqual(['a/1', 'after/1', 'a/2', 'after/2']);
  });
});

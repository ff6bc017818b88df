import { handlesFor, type JsonObject, type JsonValue } from '@deckhand/contracts';
import { NodeError, type NodeType } from '@deckhand/engine';
import { loadNodeTypes } from '@deckhand/nodes';
import { describe, expect, it } from '@jest/globals';
import { edges, lastRecords, runInMemory } from '../harness/engine.ts';
import { exampleOf } from '../harness/node-examples.ts';

const NODE_TYPES = [...(await loadNodeTypes()).values()];

const start = { id: 'start', type: 'trigger.manual' };
const probe = (id: string, rest: object = {}): object => ({ id, type: 'probe', ...rest });
const set = (id: string, value: JsonValue): object => ({ id, type: 'set', parameters: { fields: { value } } });

describe('branches', () => {
  const decision = {
    nodes: [
      start,
      { id: 'check', type: 'if', parameters: { condition: '{{ $trigger.amount > 100 }}' } },
      probe('big'),
      probe('small'),
      probe('afterSmall'),
      { id: 'join', type: 'merge', parameters: { mode: 'array' } },
    ],
    edges: edges(
      'start -> check',
      'check.true -> big',
      'check.false -> small',
      'small -> afterSmall',
      'big -> join',
      'afterSmall -> join',
    ),
  };

  it('run the chosen one and skip the other, down to where they meet', async () => {
    const { last, calls, ending } = await runInMemory(decision, { trigger: { amount: 200 } });
    expect(ending).toEqual({ kind: 'success', result: null });
    expect(calls).toEqual(['big/']);
    expect(last.get('small/')?.status).toBe('skipped');
    expect(last.get('afterSmall/')?.status).toBe('skipped');
    expect(last.get('join/')?.output).toEqual([{ ok: true }]);
  });

  it('start side by side and meet once all are settled', async () => {
    const parallel = {
      nodes: [start, probe('a'), probe('b'), probe('c'), { id: 'join', type: 'merge' }],
      edges: edges('start -> a', 'start -> b', 'b -> c', 'a -> join', 'c -> join'),
    };
    const { last, calls } = await runInMemory(parallel, { answer: (key) => key });
    expect(calls).toEqual(['a/', 'b/', 'c/']);
    expect(last.get('join/')?.output).toEqual({ a: 'a/', c: 'c/' });
  });

  it('start only at the trigger that the run was started with', async () => {
    const two = {
      nodes: [start, { id: 'other', type: 'trigger.manual' }, probe('a'), probe('b')],
      edges: edges('start -> a', 'other -> b'),
    };
    const { calls, last } = await runInMemory(two, { triggerNodeId: 'other' });
    expect(calls).toEqual(['b/']);
    expect(last.get('start/')?.status).toBe('skipped');
  });
});

describe('data', () => {
  it('keeps the type of a lone expression and reads inputs, nodes, variables and the trigger', async () => {
    const { last } = await runInMemory(
      {
        nodes: [
          start,
          set('first', '{{ [$trigger.n, $vars.name] }}'),
          {
            id: 'second',
            type: 'set',
            parameters: {
              fields: {
                was: '{{ $input.value }}',
                sum: '{{ $nodes.first.output.value[0] + 1 }}',
                text: 'n={{ $trigger.n }}',
              },
            },
          },
        ],
        edges: edges('start -> first', 'first -> second'),
      },
      { trigger: { n: 4 }, vars: { name: 'Ada' } },
    );
    expect(last.get('second/')?.output).toEqual({ was: [4, 'Ada'], sum: 5, text: 'n=4' });
  });

  it("is the run's result where a Terminal node is reached", async () => {
    const { ending } = await runInMemory({
      nodes: [start, { id: 'end', type: 'terminal', parameters: { body: { a: 1 }, statusCode: 201 } }],
      edges: edges('start -> end'),
    });
    expect(ending).toEqual({ kind: 'success', result: { body: { a: 1 }, statusCode: 201, headers: {} } });
  });
});

describe('a mock of a Terminal node', () => {
  const definition = {
    nodes: [
      start,
      { id: 'end', type: 'terminal', parameters: { body: '{{ $trigger.a.b.c }}', statusCode: 201 } },
      probe('after'),
    ],
    edges: edges('start -> end', 'end -> after'),
  };
  const mocks = new Map([['end', { given: true }]]);
  const result = { body: { given: true }, statusCode: 200, headers: {} };

  it("is the run's result, and the node's output", async () => {
    const { ending, last } = await runInMemory(definition, { mocks });
    expect(ending).toEqual({ kind: 'success', result });
    expect(last.get('end/')).toMatchObject({ status: 'success', attempts: 0, output: { given: true } });
  });

  it('is still the result after another worker took the run over', async () => {
    const { journal } = await runInMemory(definition, {
      mocks,
      onRecord: ({ nodeId, status }, abort) => {
        if (nodeId === 'after' && status === 'running') abort();
      },
    });
    const { ending } = await runInMemory(definition, { mocks, records: lastRecords(journal) });
    expect(ending).toEqual({ kind: 'success', result });
  });
});

describe('a failing node', () => {
  const failing = (rest: object, more: string[] = []) => ({
    nodes: [start, probe('call', rest), probe('next'), probe('rescue')],
    edges: edges('start -> call', 'call -> next', ...more),
  });
  const answer = (key: string): JsonValue | Error => (key === 'call/' ? new Error('boom') : { ok: true });

  it('fails the run, and nothing behind it starts', async () => {
    const { ending, calls } = await runInMemory(failing({}), { answer });
    expect(ending).toEqual({ kind: 'failed', nodeId: 'call', error: { message: 'boom', code: 'PROBE' } });
    expect(calls).toEqual(['call/']);
  });

  it('continues with { error } when its onError is continue', async () => {
    const { ending, last } = await runInMemory(failing({ onError: 'continue' }), { answer });
    expect(ending.kind).toBe('success');
    expect(last.get('call/')).toMatchObject({
      status: 'failed',
      output: { error: { message: 'boom', code: 'PROBE' } },
    });
    expect(last.get('next/')?.status).toBe('success');
  });

  it('leaves by its error handle when its onError is branch', async () => {
    const { calls, last } = await runInMemory(failing({ onError: 'branch' }, ['call.error -> rescue']), { answer });
    expect(calls).toEqual(['call/', 'rescue/']);
    expect(last.get('next/')?.status).toBe('skipped');
  });

  it.each(['continue', 'branch'])(
    'with onError %s hands on the details of its failure, also to another worker',
    async (onError) => {
      const details = { status: 422, body: { reason: 'sold out' } };
      const definition = {
        nodes: [
          start,
          probe('call', { onError }),
          { id: 'read', type: 'set', parameters: { fields: { seen: '{{ $input }}' } } },
        ],
        edges: edges('start -> call', onError === 'branch' ? 'call.error -> read' : 'call -> read'),
      };
      const failing = (key: string) => {
        if (key === 'call/') throw new NodeError('HTTP_STATUS', 'answered 422', { isRetryable: false, details });
        return { ok: true };
      };
      const seen = { error: { message: 'answered 422', code: 'HTTP_STATUS', ...details } };
      const { last } = await runInMemory(definition, { answer: failing });
      expect(last.get('call/')?.error).toEqual({ message: 'answered 422', code: 'HTTP_STATUS' });
      expect(last.get('read/')?.output).toEqual({ seen });
      const died = await runInMemory(definition, {
        answer: failing,
        onRecord: ({ nodeId }, abort) => nodeId === 'read' && abort(),
      });
      const records = new Map([...died.last].filter(([key]) => key !== 'read/'));
      const resumed = await runInMemory(definition, { records, answer: failing });
      expect([resumed.calls, resumed.last.get('read/')?.output]).toEqual([[], { seen }]);
    },
  );

  it('is tried again as often as its retry says, and each attempt is counted', async () => {
    const { calls, last, ending } = await runInMemory(failing({ retry: { maxAttempts: 3 } }), {
      answer: (key, call) => (key === 'call/' && call < 3 ? new Error('boom') : { ok: true }),
    });
    expect(ending.kind).toBe('success');
    expect(calls).toEqual(['call/', 'call/', 'call/', 'next/']);
    expect(last.get('call/')?.attempts).toBe(3);
  });

  it('is not tried again when another attempt cannot end differently', async () => {
    const { calls, ending } = await runInMemory({
      nodes: [start, probe('call', { parameters: { value: '{{ $trigger.a.b.c }}' }, retry: { maxAttempts: 5 } })],
      edges: edges('start -> call'),
    });
    expect(calls).toEqual([]);
    expect(ending).toMatchObject({ kind: 'failed', nodeId: 'call', error: { code: 'EXPRESSION_FAILED' } });
  });

  it('that takes too long is failed by its timeout', async () => {
    // The clock of the fixture ends every sleep at once, so the timeout wins against a node that never returns.
    const { ending } = await runInMemory(
      { nodes: [start, probe('slow', { timeoutSeconds: 2 })], edges: edges('start -> slow') },
      { answer: () => new Promise<JsonValue>(() => undefined) },
    );
    expect(ending).toMatchObject({ kind: 'failed', error: { code: 'NODE_TIMEOUT' } });
  });
});

describe('a disabled node', () => {
  it('passes its input on', async () => {
    const { last, calls } = await runInMemory({
      nodes: [start, set('first', 1), probe('off', { disabled: true }), probe('next')],
      edges: edges('start -> first', 'first -> off', 'off -> next'),
    });
    expect(calls).toEqual(['next/']);
    expect(last.get('off/')?.output).toEqual({ value: 1 });
  });
});

describe('a node that has not decided', () => {
  const types = NODE_TYPES.filter(({ handles, handlesBy }) => handles.length > 0 || handlesBy);

  it('is tested for every type with several outputs', () => {
    const undecided = types.map(({ type, undecidedHandle = 'none of them' }) => [type, undecidedHandle]);
    expect(Object.fromEntries(undecided)).toMatchObject({
      ...{ if: 'none of them', approval: 'none of them', 'wait.event': 'none of them' },
      ...{ switch: 'default', loop: 'done', try: 'success' },
    });
  });

  it.each(types)('because it is disabled takes no choice ($type)', async (type) => {
    const { taken, output } = await outputsOf(type, { disabled: true });
    expect(taken).toEqual(type.undecidedHandle === undefined ? [] : [type.undecidedHandle]);
    expect(output).toEqual({ value: 1 });
  });

  it.each(types)('because it failed, and the run continues, takes no choice ($type)', async (type) => {
    const { taken, output } = await outputsOf(type, { onError: 'continue' }, (nodeType) => ({
      ...nodeType,
      run: () => Promise.reject(new NodeError('TEST', 'failed', { isRetryable: false })),
    }));
    expect(taken).toEqual(type.undecidedHandle === undefined ? [] : [type.undecidedHandle]);
    expect(output).toEqual({ error: { message: 'failed', code: 'TEST' } });
  });

  /** Runs the node of a type's example with a probe at each of its outputs. @returns those that were taken. */
  async function outputsOf(type: NodeType, settings: JsonObject, fail = (original: NodeType): NodeType => original) {
    const { definition, trigger } = exampleOf(type);
    // The tools of an agent are nodes of its example, which are not here.
    const { tools: _tools, ...parameters } = definition.nodes.find((node) => node.type === type.type)?.parameters ?? {};
    const handles = handlesFor(type, parameters);
    const { last, ending } = await runInMemory(
      {
        nodes: [
          start,
          set('first', 1),
          { id: 'node', type: type.type, parameters, ...settings },
          ...handles.map((handle) => probe(handle)),
        ],
        edges: edges('start -> first', 'first -> node', ...handles.map((handle) => `node.${handle} -> ${handle}`)),
      },
      { trigger, replace: (original) => (original.type === type.type ? fail(original) : original) },
    );
    expect(ending.kind).toBe('success');
    const statuses = handles.map((handle) => [handle, last.get(`${handle}/`)?.status]);
    expect(statuses.map(([, status]) => status)).not.toContain(undefined);
    return {
      taken: statuses.flatMap(([handle, status]) => (status === 'success' ? [handle] : [])),
      output: last.get('node/')?.output,
    };
  }
});

describe('a loop', () => {
  const loop = (parameters: object) => ({
    nodes: [
      start,
      { id: 'each', type: 'loop', parameters },
      probe('call'),
      set('double', '{{ $loop.item * 2 + $loop.index }}'),
      { id: 'end', type: 'terminal', parameters: { body: '{{ $input }}' } },
    ],
    edges: edges('start -> each', 'each.body -> call', 'call -> double', 'each.done -> end'),
  });

  it('runs its body once per item and ends with the list of outputs in their order', async () => {
    const { ending, calls } = await runInMemory(loop({ items: [10, 20, 30], concurrency: 3 }));
    expect(calls).toEqual(['call/0', 'call/1', 'call/2']);
    expect(ending).toMatchObject({ result: { body: [{ value: 20 }, { value: 41 }, { value: 62 }] } });
  });

  it('with no items is done at once and skips its body', async () => {
    const { ending, last } = await runInMemory(loop({ items: [] }));
    expect(ending).toMatchObject({ kind: 'success', result: { body: [] } });
    expect(last.get('call/')?.status).toBe('skipped');
  });

  it('inside a loop numbers its iterations from the outside in', async () => {
    const { calls } = await runInMemory({
      nodes: [
        start,
        { id: 'rows', type: 'loop', parameters: { items: [[1, 2], [3]] } },
        { id: 'cells', type: 'loop', parameters: { items: '{{ $loop.item }}' } },
        probe('call'),
      ],
      edges: edges('start -> rows', 'rows.body -> cells', 'cells.body -> call'),
    });
    expect(calls).toEqual(['call/0.0', 'call/0.1', 'call/1.0']);
  });

  it.each([1, 2])('keeps what succeeded of a node with an error branch (%s nodes in the body)', async (count) => {
    const ids = Array.from({ length: count }, (_, index) => `call${index}`);
    const { ending } = await runInMemory(
      {
        nodes: [
          start,
          { id: 'each', type: 'loop', parameters: { items: [0, 1] } },
          ...ids.map((id) => probe(id, { onError: 'branch' })),
          set('handled', '{{ $loop.item }}'),
          { id: 'end', type: 'terminal', parameters: { body: '{{ $input }}' } },
        ],
        edges: edges(
          'each.done -> end',
          'start -> each',
          ...ids.flatMap((id) => [`each.body -> ${id}`, `${id}.error -> handled`]),
        ),
      },
      { answer: (key) => (key.endsWith('/1') ? new NodeError('TEST', 'failed') : key) },
    );
    const succeeded = count === 1 ? 'call0/0' : { call0: 'call0/0', call1: 'call1/0' };
    expect(ending).toMatchObject({ result: { body: [succeeded, { value: 1 }] } });
  });

  it('has the outputs of several ends by the ids of their nodes, also of those with edges', async () => {
    const { ending } = await runInMemory({
      nodes: [
        start,
        { id: 'body', type: 'try' },
        { id: 'check', type: 'if', parameters: { condition: false } },
        probe('big'),
        probe('other'),
        { id: 'end', type: 'terminal', parameters: { body: '{{ $input }}' } },
      ],
      edges: edges(
        'start -> body',
        'body.body -> check',
        'check.true -> big',
        'body.body -> other',
        'body.success -> end',
      ),
    });
    expect(ending).toMatchObject({ result: { body: { check: {}, other: { ok: true } } } });
  });

  it('longer than its maxIterations fails', async () => {
    const { ending } = await runInMemory(loop({ items: [1, 2, 3], maxIterations: 2 }));
    expect(ending).toMatchObject({ kind: 'failed', error: { code: 'LOOP_TOO_LONG' } });
  });
});

describe('after a crash', () => {
  const chain = {
    nodes: [start, ...Array.from({ length: 10 }, (_, i) => probe(`n${i}`))],
    edges: edges('start -> n0', ...Array.from({ length: 9 }, (_, i) => `n${i} -> n${i + 1}`)),
  };

  it('finished nodes are not run again, and the one in flight is', async () => {
    const first = await runInMemory(chain, {
      onRecord: ({ nodeId, status }, abort) => {
        if (nodeId === 'n4' && status === 'running') abort();
      },
    });
    expect(first.ending.kind).toBe('halted');
    const second = await runInMemory(chain, { records: lastRecords(first.journal) });
    expect(second.ending.kind).toBe('success');
    expect(second.calls).toEqual(['n4/', 'n5/', 'n6/', 'n7/', 'n8/', 'n9/']);
    expect(second.last.get('n4/')?.attempts).toBe(2);
  });

  it('a node in flight that must not be repeated fails', async () => {
    const fragile = {
      ...chain,
      nodes: chain.nodes.map((node) => ('id' in node && node.id === 'n4' ? { ...node, onInterrupt: 'fail' } : node)),
    };
    const first = await runInMemory(fragile, {
      onRecord: ({ nodeId, status }, abort) => {
        if (nodeId === 'n4' && status === 'running') abort();
      },
    });
    const second = await runInMemory(fragile, { records: lastRecords(first.journal) });
    expect(second.calls).toEqual([]);
    expect(second.ending).toMatchObject({ kind: 'failed', nodeId: 'n4', error: { code: 'NODE_INTERRUPTED' } });
  });
});

import type { JsonValue } from '@deckhand/contracts';
import { compileWorkflow } from '@deckhand/engine';
import { loadNodeTypes } from '@deckhand/nodes';
import { describe, expect, it } from '@jest/globals';
import { edges, lastRecords, type MemoryRunOptions, runInMemory } from '../harness/engine.ts';

const types = await loadNodeTypes();
const start = { id: 'start', type: 'trigger.manual' };

/** A loop around one call, whose input is recorded by the node before it. */
const loop = (parameters: object, rest: object = {}) => ({
  nodes: [
    start,
    { id: 'each', type: 'loop', parameters, ...rest },
    { id: 'seen', type: 'set', parameters: { fields: { input: '{{ $input }}', previous: '{{ $loop.previous }}' } } },
    { id: 'page', type: 'probe' },
    { id: 'end', type: 'terminal', parameters: { body: '{{ $input }}' } },
  ],
  edges: edges('start -> each', 'each.body -> seen', 'seen -> page', 'each.done -> end'),
});

/** An API of so many pages. */
const pages = (count: number): MemoryRunOptions['answer'] => {
  return (key): JsonValue => {
    const number = Number(key.split('/')[1]);
    return number + 1 < count ? { number, next: number + 1 } : { number };
  };
};

describe('a loop with a condition', () => {
  it('pages through an API of unknown length until there is no next page', async () => {
    const definition = loop({ mode: 'until', condition: '{{ $loop.previous.next == null }}' });
    const { ending, calls, last } = await runInMemory(definition, { answer: pages(3), trigger: { first: true } });
    expect(calls).toEqual(['page/0', 'page/1', 'page/2']);
    expect(ending).toMatchObject({ result: { body: [{ number: 0, next: 1 }, { number: 1, next: 2 }, { number: 2 }] } });
    // The first iteration gets the input of the loop, each other one the output before.
    expect(last.get('seen/0')?.output).toEqual({ input: { first: true }, previous: null });
    expect(last.get('seen/1')?.output).toEqual({ input: { number: 0, next: 1 }, previous: { number: 0, next: 1 } });
  });

  it('with while is checked before the first iteration, and skips its body if it is false', async () => {
    const condition = '{{ $loop.index == 0 ? $trigger.go : $loop.previous.next != null }}';
    const definition = loop({ mode: 'while', condition });
    const none = await runInMemory(definition, { answer: pages(2), trigger: { go: false } });
    expect({ calls: none.calls, result: none.ending }).toMatchObject({ calls: [], result: { result: { body: [] } } });
    expect(none.last.get('page/')?.status).toBe('skipped');
    const some = await runInMemory(definition, { answer: pages(2), trigger: { go: true } });
    expect(some.calls).toEqual(['page/0', 'page/1']);
  });

  it('fails when its condition asks for more than maxIterations, and not when they suffice', async () => {
    const definition = (maxIterations: number) =>
      loop({ mode: 'until', condition: '{{ $loop.previous.next == null }}', maxIterations });
    const failed = await runInMemory(definition(2), { answer: pages(3) });
    expect(failed.ending).toMatchObject({ kind: 'failed', nodeId: 'each', error: { code: 'LOOP_TOO_LONG' } });
    expect(failed.calls).toHaveLength(2);
    expect((await runInMemory(definition(3), { answer: pages(3) })).ending.kind).toBe('success');
  });

  it('fails by its onError when the condition cannot be evaluated', async () => {
    const parameters = { mode: 'until', condition: '{{ $loop.previous.a.b }}' };
    const failed = await runInMemory(loop(parameters), { answer: pages(1) });
    expect(failed.ending).toMatchObject({ kind: 'failed', nodeId: 'each', error: { code: 'EXPRESSION_FAILED' } });
    const handled = await runInMemory(loop(parameters, { onError: 'continue' }), { answer: pages(1) });
    expect(handled.ending).toMatchObject({ result: { body: { error: { code: 'EXPRESSION_FAILED' } } } });
    expect(handled.positions).toEqual([]);
  });

  it('without a body ends with its maximum', async () => {
    const definition = (condition: JsonValue) => ({
      nodes: [start, { id: 'each', type: 'loop', parameters: { mode: 'while', condition, maxIterations: 5 } }],
      edges: edges('start -> each'),
    });
    const { ending } = await runInMemory(definition(true));
    expect(ending).toMatchObject({ kind: 'failed', error: { code: 'LOOP_TOO_LONG' } });
    const { last } = await runInMemory(definition('{{ $loop.index < 3 }}'), { trigger: 7 });
    expect(last.get('each/')?.output).toEqual([7, 7, 7]);
  });

  it('knows its own $loop, not that of the loop around it', async () => {
    const { calls } = await runInMemory({
      nodes: [
        start,
        { id: 'rows', type: 'loop', parameters: { items: [5, 6] } },
        { id: 'cells', type: 'loop', parameters: { mode: 'while', condition: '{{ $loop.index < 2 }}' } },
        { id: 'call', type: 'probe' },
      ],
      edges: edges('start -> rows', 'rows.body -> cells', 'cells.body -> call'),
    });
    expect(calls).toEqual(['call/0.0', 'call/0.1', 'call/1.0', 'call/1.1']);
  });
});

describe('after a crash', () => {
  const definition = loop({ mode: 'until', condition: '{{ $loop.previous.next == null }}' });

  it.each([true, false])(
    'it continues with the iteration in progress, and the output before (positions: %p)',
    async (hasPositions) => {
      const first = await runInMemory(definition, {
        answer: pages(4),
        onRecord: ({ nodeId, iteration, status }, abort) => {
          if (nodeId === 'page' && iteration === '2' && status === 'running') abort();
        },
      });
      const second = await runInMemory(definition, {
        answer: pages(4),
        records: lastRecords(first.journal),
        ...(hasPositions && { positions: first.positions }),
      });
      expect(second.calls).toEqual(['page/2', 'page/3']);
      expect(second.ending).toMatchObject({
        result: { body: [0, 1, 2, 3].map((number) => expect.objectContaining({ number })) },
      });
    },
  );

  it('an iteration that has begun ends, whatever the condition says by then', async () => {
    const byVariable = loop({ mode: 'while', condition: '{{ $loop.index < $vars.count }}' });
    const first = await runInMemory(byVariable, {
      vars: { count: 3 },
      onRecord: ({ nodeId, iteration, status }, abort) => {
        if (nodeId === 'page' && iteration === '1' && status === 'running') abort();
      },
    });
    for (const positions of [first.positions, undefined]) {
      const second = await runInMemory(byVariable, {
        vars: { count: 0 },
        records: lastRecords(first.journal),
        ...(positions && { positions }),
      });
      expect(second.calls).toEqual(['page/1']);
      expect(second.ending).toMatchObject({ kind: 'success', result: { body: [{ ok: true }, { ok: true }] } });
    }
  });
});

describe('$response', () => {
  it('is refused where there is none', () => {
    const issuesOf = (parameters: object) => {
      const nodes = [start, { id: 'read', type: 'http', parameters }];
      const compiled = compileWorkflow({ nodes, edges: edges('start -> read') }, types);
      return 'issues' in compiled ? compiled.issues : [];
    };
    const url = 'https://a.example';
    expect(issuesOf({ url, pagination: { mode: 'next', next: '{{ $response.body.next }}' } })).toEqual([]);
    expect(issuesOf({ url, body: '{{ $response.body.next }}' })).toMatchObject([
      { path: 'nodes[1].parameters', message: expect.stringContaining('known only in pagination.next') },
    ]);
    expect(issuesOf({ url, pagination: { mode: 'next', next: '{{ $loop.index }}' } })).toMatchObject([
      { path: 'nodes[1].parameters.pagination.next' },
    ]);
  });
});

describe('saving a loop', () => {
  const issuesOf = (parameters: object, body: JsonValue = 1) => {
    const definition = {
      nodes: [
        start,
        { id: 'each', type: 'loop', parameters },
        { id: 'body', type: 'set', parameters: { fields: { body } } },
      ],
      edges: edges('start -> each', 'each.body -> body'),
    };
    const compiled = compileWorkflow(definition, types);
    return 'issues' in compiled ? compiled.issues : [];
  };

  it.each<[string, object, string, RegExp]>([
    ['no items', {}, 'items', /is required/],
    ['a condition without its mode', { items: [], condition: true }, 'condition', /needs the mode/],
    ['no condition', { mode: 'while' }, 'condition', /is required/],
    ['items and a condition', { mode: 'until', condition: true, items: [] }, 'items', /is not for/],
    ['concurrent iterations', { mode: 'until', condition: true, concurrency: 2 }, 'concurrency', /follow each other/],
    ['an unknown mode', { mode: 'never', items: [] }, 'mode', /must be/],
    ['a mode that is known later', { mode: '{{ $trigger.mode }}', items: [] }, 'mode', /no expression/],
    ['a condition that is not an expression', { mode: 'until', condition: '{{ 1 + }}' }, 'condition', /at character/],
    ['a condition on an unknown node', { mode: 'until', condition: '{{ $nodes.b.output }}' }, 'condition', /no such/],
  ])('with %s is refused', (_what, parameters, name, message) => {
    expect(issuesOf(parameters)).toEqual([
      { path: `nodes[1].parameters.${name}`, message: expect.stringMatching(message) },
    ]);
  });

  it('refuses $loop.previous where iterations do not follow each other', () => {
    const previous = '{{ $loop.previous }}';
    expect(issuesOf({ mode: 'while', condition: '{{ $loop.previous }}' }, previous)).toEqual([]);
    expect(issuesOf({ items: [] }, previous)).toMatchObject([{ message: expect.stringContaining('mode "items"') }]);
    expect(issuesOf({ items: '{{ [$loop.index] }}' })).toMatchObject([{ path: 'nodes[1].parameters' }]);
  });
});

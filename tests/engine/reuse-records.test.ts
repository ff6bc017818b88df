import type { Definition, JsonValue } from '@deckhand/contracts';
import { type NodeRecord, recordKey, reuseRecords, typesOfNodes } from '@deckhand/engine';
import { createResultChecker, createSchemaChecker } from '@deckhand/nodes';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compileForTest, edges, runInMemory, runToEnd } from '../harness/engine.ts';
import { runs } from '../harness/random.ts';
import { answerOf, randomGraph } from '../harness/random-graphs.ts';
import { compare, interpret, observe } from '../harness/reference-interpreter.ts';
import { agentDefinition, createScriptedModel, SCRIPTED_CREDENTIAL } from '../harness/scripted-model.ts';

const GRAPHS = runs(500, 2_000);

type Answers = (key: string) => JsonValue;

/** Runs a definition, then again from a node. A probe that answers "fail" fails. */
async function runTwice(
  definition: Definition,
  from: string,
  first: Answers,
  second: Answers,
  iterations: 'all' | 'failed' = 'all',
) {
  const asked = (answers: Answers) => (key: string) => {
    const value = answers(key);
    return value === 'fail' ? new Error('fail') : value;
  };
  const original = await runToEnd(definition, { answer: asked(first) });
  const workflow = await compileForTest(definition);
  const kept = reuseRecords({ workflow, triggerNodeId: 'start', records: original.last }, from, iterations);
  const again = await runToEnd(definition, { records: kept, answer: asked(second) });
  const records = new Map([...kept, ...again.last]);
  return { original, kept, again, records };
}

/**
 * Returns what the first run decided and the second did not decide again: what was cancelled in a loop that stays
 * finished is not kept, and not done again either. An early join that is skipped leaves no record in a loop, so a
 * decision counts only as long as nothing of what it cancelled has run.
 */
function decisionsThatStand(first: ReadonlyMap<string, NodeRecord>, records: ReadonlyMap<string, NodeRecord>) {
  return [...observe(first)].filter(([key, { decision }]) => {
    const [, iteration = ''] = key.split('/');
    return !decision?.cancelled.some((nodeId) => records.has(recordKey(nodeId, iteration)));
  });
}

/** All probes answer by their key; those named fail in the first run. */
const failing =
  (...keys: string[]): Answers =>
  (key) =>
    keys.includes(key) ? 'fail' : `${key} first`;
const well: Answers = (key) => `${key} second`;

const probe = (id: string, more: object = {}) => ({ id, type: 'probe', ...more });
const loop = (id: string, items: number, concurrency = 1) => ({
  id,
  type: 'loop',
  parameters: { items: Array.from({ length: items }, (_, i) => i), concurrency },
});

describe('a run from a node', () => {
  it('agrees with the reference, given what was kept and what is answered anew', async () => {
    await fc.assert(
      fc.asyncProperty(randomGraph, fc.nat(), fc.nat(), fc.boolean(), async (definition, seed, pick, isOfFailed) => {
        const firstOf: Answers = (key) => {
          const [nodeId = '', iteration = ''] = key.split('/');
          return answerOf(seed)(nodeId, iteration);
        };
        const from = definition.nodes[pick % definition.nodes.length]?.id ?? '';
        const iterations = isOfFailed ? 'failed' : 'all';
        const { original, kept, again, records } = await runTwice(definition, from, firstOf, well, iterations);
        const answer = (nodeId: string, iteration: string): JsonValue => {
          const key = recordKey(nodeId, iteration);
          return kept.has(key) ? firstOf(key) : well(key);
        };
        const observed = new Map([...decisionsThatStand(original.last, records), ...observe(records)]);
        const reference = interpret(definition, answer, observed);
        if (again.ending.kind !== 'success') {
          // A join fails if fewer branches come than it needs, whatever the probes answer.
          expect(again.ending).toMatchObject({ kind: 'failed', error: { code: 'MERGE_INCOMPLETE' } });
          return;
        }
        for (const key of again.calls) expect(kept.has(key)).toBe(false);
        const { actual, expected } = compare(records, reference);
        expect(actual).toEqual(expected);
      }),
      { numRuns: GRAPHS },
    );
  });

  it('has nodes that work in slices, as their input is large', async () => {
    const definition: Definition = {
      nodes: [{ id: 'start', type: 'trigger.manual' }, probe('a'), probe('b'), { id: 'both', type: 'merge' }],
      edges: edges('start -> a', 'start -> b', 'a -> both', 'b -> both'),
    };
    const large: Answers = () => Array.from({ length: 100_000 }, (_, i) => i);
    const { again } = await runTwice(definition, 'both', large, large);
    expect(again.ending.kind).toBe('success');
  });

  it('does it and what follows again, and nothing beside them', async () => {
    const definition: Definition = {
      nodes: [{ id: 'start', type: 'trigger.manual' }, probe('a'), probe('b'), probe('c'), probe('beside')],
      edges: edges('start -> a', 'a -> b', 'b -> c', 'a -> beside'),
    };
    const { again } = await runTwice(definition, 'b', failing('c/'), well);
    expect(again.calls).toEqual(['b/', 'c/']);
    expect((await runTwice(definition, 'start', failing(), well)).again.calls).toHaveLength(4);
    expect((await runTwice(definition, 'c', failing('a/'), well)).again.calls).toHaveLength(4);
  });

  it('keeps a failure that was handled, and not one that ended the run', async () => {
    const definition: Definition = {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        probe('handled', { onError: 'branch' }),
        probe('after'),
        probe('other'),
      ],
      edges: edges('start -> handled', 'handled.error -> after', 'start -> other'),
    };
    const { again } = await runTwice(definition, 'after', failing('handled/', 'other/'), well);
    expect([...again.calls].sort()).toEqual(['after/', 'other/']);
  });

  const loops: Definition = {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      loop('each', 5),
      probe('a'),
      probe('b'),
      probe('c'),
      probe('done'),
    ],
    edges: edges('start -> each', 'each.body -> a', 'a -> b', 'b -> c', 'each.done -> done'),
  };

  it('keeps the iterations that finished before one failed', async () => {
    const { again } = await runTwice(loops, 'b', failing('c/3'), well);
    expect(again.calls).toEqual(['b/3', 'c/3', 'a/4', 'b/4', 'c/4', 'done/']);
    expect(again.last.get('each/')?.output).toEqual([
      ...['c/0 first', 'c/1 first', 'c/2 first'],
      ...['c/3 second', 'c/4 second'],
    ]);
  });

  it('continues from the node in every iteration of a loop that finished', async () => {
    const { again } = await runTwice(loops, 'c', failing('done/'), well);
    expect(again.calls).toEqual(['c/0', 'c/1', 'c/2', 'c/3', 'c/4', 'done/']);
  });

  it('begins a loop anew when that is the node, and leaves it alone when the node comes after', async () => {
    expect((await runTwice(loops, 'each', failing('c/3'), well)).again.calls).toHaveLength(16);
    expect((await runTwice(loops, 'done', failing('done/'), well)).again.calls).toEqual(['done/']);
  });

  it('knows loops in loops: of the outer one those iterations are kept that finished', async () => {
    const nested: Definition = {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        loop('outer', 3),
        loop('inner', 2),
        probe('a'),
        probe('b'),
        probe('tail'),
      ],
      edges: edges('start -> outer', 'outer.body -> inner', 'inner.body -> a', 'a -> b', 'inner.done -> tail'),
    };
    const inside = await runTwice(nested, 'b', failing('b/1.1'), well);
    expect(inside.again.calls).toEqual(['b/1.1', 'tail/1', 'a/2.0', 'b/2.0', 'a/2.1', 'b/2.1', 'tail/2']);
    // The inner loop of the second pass had finished: all of its iterations continue from the node.
    const after = await runTwice(nested, 'b', failing('tail/1'), well);
    expect(after.again.calls.slice(0, 3)).toEqual(['b/1.0', 'b/1.1', 'tail/1']);
    const all = await runTwice(nested, 'b', failing(), well);
    expect(all.again.calls).toHaveLength(3 * (2 + 1));
    expect(all.again.calls).not.toContain('a/0.0');
  });

  it('continues from the node in failed iterations alone, if it is asked to', async () => {
    const handled = loops.nodes.map((node) => (node.id === 'b' ? { ...node, onError: 'continue' as const } : node));
    const finished = await runTwice({ ...loops, nodes: handled }, 'b', failing('b/1', 'b/4'), well, 'failed');
    expect(finished.again.calls).toEqual(['b/1', 'c/1', 'b/4', 'c/4', 'done/']);
    expect(finished.again.last.get('each/')?.output).toEqual([
      ...['c/0 first', 'c/1 second', 'c/2 first', 'c/3 first', 'c/4 second'],
    ]);
    // The loop failed at its fourth iteration: of those before, the failed one continues from the node, too.
    const halfway = await runTwice({ ...loops, nodes: handled }, 'b', failing('b/1', 'c/3'), well, 'failed');
    expect(halfway.again.calls).toEqual(['b/1', 'c/1', 'b/3', 'c/3', 'a/4', 'b/4', 'c/4', 'done/']);
  });

  it('begins a loop with a condition anew, if an iteration that finished continues from the node', async () => {
    const parameters = { mode: 'until', condition: '{{ $loop.index >= 3 }}' };
    const definition: Definition = {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'again', type: 'loop', parameters },
        ...[probe('a', { onError: 'continue' }), probe('b'), probe('c')],
      ],
      edges: edges('start -> again', 'again.body -> a', 'a -> b', 'again.body -> c'),
    };
    const early = await runTwice(definition, 'a', failing('a/0', 'b/1'), well, 'failed');
    expect(early.again.calls.slice(0, 3).sort()).toEqual(['a/0', 'b/0', 'c/0']);
    expect(early.again.ending.kind).toBe('success');
    // Only the iteration that did not finish: those before are as they were.
    const late = await runTwice(definition, 'a', failing('a/1', 'b/1'), well, 'failed');
    expect(late.again.calls.slice(0, 2)).toEqual(['a/1', 'b/1']);
  });

  it('continues from the node in failed iterations of loops in loops, and of a try', async () => {
    const nested: Definition = {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        loop('outer', 3),
        loop('inner', 2),
        { id: 'try', type: 'try' },
        probe('a'),
        probe('b'),
        probe('tail'),
      ],
      edges: edges(
        ...['start -> outer', 'outer.body -> inner', 'inner.body -> try', 'try.body -> a', 'a -> b'],
        ...['inner.done -> tail'],
      ),
    };
    const { again } = await runTwice(nested, 'b', failing('b/1.1'), well, 'failed');
    expect(again.calls).toEqual(['b/1.1', 'tail/1']);
    expect((await runTwice(nested, 'b', failing(), well, 'failed')).again.calls).toEqual([]);
  });

  it('keeps the iterations that follow one that continues, although they were done one at a time', async () => {
    const definition: Definition = {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        loop('each', 5),
        { id: 'try', type: 'try' },
        ...[probe('charge'), probe('tell')],
      ],
      edges: edges('start -> each', 'each.body -> try', 'try.body -> charge', 'try.success -> tell'),
    };
    const { again } = await runTwice(definition, 'charge', failing('charge/1', 'tell/3'), well, 'failed');
    expect(again.calls.filter((key) => key.startsWith('charge/'))).toEqual(['charge/1', 'charge/3', 'charge/4']);
  });

  describe('in a version in which a node has another type', () => {
    const first: Definition = {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        loop('each', 3),
        probe('a'),
        probe('x'),
        probe('b'),
        probe('end'),
      ],
      edges: edges('start -> each', 'each.body -> a', 'a -> x', 'x -> b', 'each.done -> end'),
    };
    const nodes = first.nodes.map((node) => (node.id === 'x' ? { id: 'x', type: 'merge' } : node));

    /** Runs the first version, then the second from a node. @returns the calls of the second run. */
    async function rerun(from: string, answers: Answers, version: Definition, iterations?: 'all' | 'failed') {
      const source = {
        ...first,
        nodes: version.nodes.map((node) => (node.id === 'x' ? probe('x') : node)),
        edges: version.edges,
      };
      const asked = (key: string) => (answers(key) === 'fail' ? new Error('fail') : answers(key));
      const original = await runToEnd(source, { answer: asked });
      const workflow = await compileForTest(version);
      const types = typesOfNodes(source);
      const records = reuseRecords(
        { workflow, triggerNodeId: 'start', records: original.last, types },
        from,
        iterations,
      );
      const again = await runToEnd(version, { records, answer: well });
      expect(again.ending.kind).toBe('success');
      return again.calls;
    }

    it('it is done again in every iteration of a finished loop, with what follows it, and nothing before it', async () => {
      const expected = ['b/0', 'b/1', 'b/2', 'end/'];
      expect(await rerun('b', failing('end/'), { ...first, nodes })).toEqual(expected);
      expect(await rerun('end', failing('end/'), { ...first, nodes })).toEqual(expected);
    });

    it('it is done again in the iterations of a loop that failed, and those before it are kept', async () => {
      expect(await rerun('b', failing('b/1'), { ...first, nodes })).toEqual(['b/0', 'b/1', 'a/2', 'b/2', 'end/']);
    });

    it('a loop with a condition around it begins anew', async () => {
      const parameters = { mode: 'until', condition: '{{ $loop.index >= 2 }}' };
      const repeated = nodes.map((node) => (node.id === 'each' ? { id: 'each', type: 'loop', parameters } : node));
      const calls = await rerun('end', failing('end/'), { ...first, nodes: repeated });
      expect(calls).toEqual(['a/0', 'b/0', 'a/1', 'b/1', 'end/']);
    });
  });

  describe('of a workflow with an agent', () => {
    const schemas = createSchemaChecker();
    afterAll(() => schemas.close());
    const definition = agentDefinition({}, [probe('send'), probe('note')]);
    const script = [{ calls: [{ tool: 'send', arguments: {} }] }, { text: 'Sent.' }];

    /** Runs the workflow, then again from a node. @param failsAt the request of the first run that fails */
    async function rerun(from: string, failsAt?: number) {
      const results = createResultChecker(schemas);
      const run = async (records: ReadonlyMap<string, NodeRecord> = new Map(), broken?: number) => {
        const model = createScriptedModel(script);
        const { http } = model.services;
        const failing = (...args: Parameters<typeof http.request>) =>
          model.asked.length === broken ? Promise.reject(new Error('broken')) : http.request(...args);
        const services = { ...model.services, results, http: { request: failing } };
        const openCredential = () => Promise.resolve(SCRIPTED_CREDENTIAL);
        const memory = await runInMemory(definition, { records, services, openCredential });
        return { ...memory, turns: model.asked.map(({ turn }) => turn) };
      };
      const original = await run(undefined, failsAt);
      const workflow = await compileForTest(definition);
      const kept = reuseRecords({ workflow, triggerNodeId: 'start', records: original.last }, from);
      return { original, kept: [...kept.keys()], again: await run(kept) };
    }

    it('keeps an agent that finished, with its steps', async () => {
      const { kept, again } = await rerun('after');
      expect(kept.toSorted()).toEqual([
        'agent.steps/0',
        'agent.steps/1',
        'agent.steps/2',
        'agent/',
        'send/1',
        'start/',
      ]);
      expect([again.turns, again.calls]).toEqual([[], []]);
      expect(again.ending.kind).toBe('success');
    });

    it.each(['agent', 'send', 'note'])('begins it anew from %s', async (from) => {
      const { kept, again } = await rerun(from);
      expect(kept).toEqual(['start/']);
      expect([again.turns, again.calls]).toEqual([[0, 1], ['send/1']]);
      expect(again.ending.kind).toBe('success');
    });

    it('begins one anew that failed, wherever it continues', async () => {
      const { original, kept, again } = await rerun('after', 1);
      expect(original.ending).toMatchObject({ kind: 'failed', nodeId: 'agent' });
      expect(original.calls).toEqual(['send/1']);
      expect(kept).toEqual(['start/']);
      expect([again.turns, again.calls]).toEqual([[0, 1], ['send/1']]);
    });
  });

  it('of a node that the workflow does not have is refused', async () => {
    const workflow = await compileForTest(loops);
    expect(() => reuseRecords({ workflow, triggerNodeId: 'start', records: new Map() }, 'nobody')).toThrow(RangeError);
  });
});

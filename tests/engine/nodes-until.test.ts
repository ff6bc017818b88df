import type { Definition, JsonValue } from '@deckhand/contracts';
import { nodesUntil, recordKey, reuseRecords } from '@deckhand/engine';
import { describe, expect, it } from '@jest/globals';
import { compileForTest, edges, runToEnd } from '../harness/engine.ts';

const probe = (id: string, more: object = {}) => ({ id, type: 'probe', ...more });
const loop = (id: string, items: JsonValue[]) => ({ id, type: 'loop', parameters: { items } });

/** Runs a definition up to a node, after a whole run if it starts at another. */
async function runUntil(definition: Definition, untilId: string, fromId?: string) {
  const workflow = await compileForTest(definition);
  const until = nodesUntil(workflow, untilId);
  const whole = fromId === undefined ? undefined : await runToEnd(definition);
  const records =
    whole && fromId !== undefined
      ? reuseRecords({ workflow, triggerNodeId: 'start', records: whole.last }, fromId)
      : new Map();
  const run = await runToEnd(definition, { until, records });
  return { ...run, until: [...until].sort() };
}

describe('a run up to a node', () => {
  const branches: Definition = {
    nodes: [{ id: 'start', type: 'trigger.manual' }, probe('a'), probe('b'), probe('c'), probe('beside'), probe('end')],
    edges: edges('start -> a', 'a -> b', 'b -> c', 'a -> beside', 'beside -> end', 'c -> end'),
  };

  it('runs it and what is before it, and skips the rest', async () => {
    const { calls, last, ending, until } = await runUntil(branches, 'b');
    expect(until).toEqual(['a', 'b', 'start']);
    expect(calls).toEqual(['a/', 'b/']);
    expect(ending.kind).toBe('success');
    for (const id of ['c', 'beside', 'end']) expect(last.get(recordKey(id, ''))?.status).toBe('skipped');
  });

  it('runs one node of an earlier run', async () => {
    expect((await runUntil(branches, 'b', 'b')).calls).toEqual(['b/']);
    expect((await runUntil(branches, 'c', 'b')).calls).toEqual(['b/', 'c/']);
  });

  const nested: Definition = {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      loop('each', [1, 2]),
      probe('a'),
      loop('inner', [3]),
      probe('deep'),
      probe('b'),
      probe('done'),
    ],
    edges: edges(
      'start -> each',
      'each.body -> a',
      'a -> inner',
      'inner.body -> deep',
      'inner.done -> b',
      'each.done -> done',
    ),
  };

  it('runs the nodes before it in each iteration of the loops around it', async () => {
    const { calls, until, last } = await runUntil(nested, 'inner');
    expect(until).toEqual(['a', 'deep', 'each', 'inner', 'start']);
    expect(calls).toEqual(['a/0', 'deep/0.0', 'a/1', 'deep/1.0']);
    expect(last.get('done/')?.status).toBe('skipped');
    expect((await runUntil(nested, 'a', 'a')).calls).toEqual(['a/0', 'a/1']);
  });

  it('runs whole loops before it', async () => {
    const { until } = await runUntil(nested, 'done');
    expect(until).toEqual(['a', 'b', 'deep', 'done', 'each', 'inner', 'start']);
    expect((await runUntil(nested, 'done', 'done')).calls).toEqual(['done/']);
  });

  it('runs one iteration of a loop with a condition whose body it cuts', async () => {
    const pages: Definition = {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'each', type: 'loop', parameters: { mode: 'while', condition: '{{ $loop.index < 3 }}' } },
        probe('get'),
        probe('keep'),
        probe('done'),
      ],
      edges: edges('start -> each', 'each.body -> get', 'get -> keep', 'each.done -> done'),
    };
    const { calls, ending } = await runUntil(pages, 'get');
    expect([calls, ending.kind]).toEqual([['get/0'], 'success']);
    expect((await runUntil(pages, 'keep')).calls).toHaveLength(6);
    expect((await runUntil(pages, 'done')).calls).toHaveLength(7);
  });

  it('is not cancelled by an early join after it', async () => {
    const race: Definition = {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        probe('fast'),
        probe('slow'),
        { id: 'first', type: 'merge', parameters: { mode: 'any', cancelRest: true } },
      ],
      edges: edges('start -> fast', 'start -> slow', 'fast -> first', 'slow -> first'),
    };
    const { calls, last } = await runUntil(race, 'slow', 'slow');
    expect(calls).toEqual(['slow/']);
    expect(last.get('slow/')?.status).toBe('success');
  });

  it('continues after a crash without what it leaves out', async () => {
    const workflow = await compileForTest(branches);
    const until = nodesUntil(workflow, 'b');
    const { last } = await runToEnd(branches, { until });
    const early = new Map([...last].filter(([key]) => key !== 'b/'));
    expect((await runToEnd(branches, { until, records: early })).calls).toEqual(['b/']);
  });

  it('needs a node of the workflow', async () => {
    const workflow = await compileForTest(branches);
    expect(() => nodesUntil(workflow, 'nobody')).toThrow(RangeError);
  });
});

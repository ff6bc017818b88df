import { describe, expect, it } from '@jest/globals';
import type { Definition } from '@deckhand/contracts';
import { CONTAINER_TYPES } from '../../../testing/node-type.ts';
import { containersAround, expressionOf, loopAround, nodesBefore, outcomeOf, sourcesOf } from './upstream.ts';

/** start → outer ⟲ (first → inner ⟲ (deep) → last) → end */
const LOOPS: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual' },
    { id: 'outer', type: 'loop' },
    { id: 'first', type: 'set' },
    { id: 'inner', type: 'loop' },
    { id: 'deep', type: 'set' },
    { id: 'last', type: 'set' },
    { id: 'end', type: 'set' },
  ],
  edges: [
    { source: 'start', target: 'outer' },
    { source: 'outer', sourceHandle: 'body', target: 'first' },
    { source: 'first', target: 'inner' },
    { source: 'inner', sourceHandle: 'body', target: 'deep' },
    { source: 'inner', sourceHandle: 'done', target: 'last' },
    { source: 'outer', sourceHandle: 'done', target: 'end' },
  ],
};

describe('the nodes before a node', () => {
  it('are all that lead to it, the nearest first, each once', () => {
    const diamond: Definition = {
      nodes: [],
      edges: [
        { source: 'start', target: 'left' },
        { source: 'start', target: 'right' },
        { source: 'left', target: 'end' },
        { source: 'right', target: 'end' },
        { source: 'end', target: 'after' },
      ],
    };
    expect(nodesBefore(diamond, 'end')).toEqual(['left', 'right', 'start']);
    expect(nodesBefore(diamond, 'start')).toEqual([]);
  });

  it('end even where a half-drawn graph leads in a circle', () => {
    const circle: Definition = {
      nodes: [],
      edges: [
        { source: 'a', target: 'b' },
        { source: 'b', target: 'a' },
      ],
    };
    expect(nodesBefore(circle, 'a')).toEqual(['b']);
  });
});

describe('the loop around a node', () => {
  it('is the innermost one whose body it is in', () => {
    const around = (nodeId: string) => loopAround(LOOPS, nodeId, CONTAINER_TYPES)?.id;
    expect(around('deep')).toBe('inner');
    expect(['first', 'inner', 'last'].map(around)).toEqual(['outer', 'outer', 'outer']);
    expect(['start', 'outer', 'end'].map(around)).toEqual([undefined, undefined, undefined]);
  });
});

describe('what comes to a node', () => {
  it('is an item where it comes right from the loop around it', () => {
    expect(sourcesOf(LOOPS, 'first', CONTAINER_TYPES)).toEqual([{ nodeId: 'outer', gives: 'item' }]);
    expect(sourcesOf(LOOPS, 'last', CONTAINER_TYPES)).toEqual([{ nodeId: 'inner', gives: 'output' }]);
    expect(sourcesOf(LOOPS, 'end', CONTAINER_TYPES)).toEqual([{ nodeId: 'outer', gives: 'output' }]);
  });

  it('is the input of a try where it comes right from the try around it', () => {
    const edges = [
      { source: 'outer', sourceHandle: 'body', target: 'inner' },
      { source: 'inner', sourceHandle: 'body', target: 'pay' },
      { source: 'pay', target: 'check' },
      { source: 'inner', sourceHandle: 'error', target: 'undo' },
    ];
    const nodes = [
      { id: 'outer', type: 'try' },
      { id: 'inner', type: 'try' },
    ];
    const from = (nodeId: string) => sourcesOf({ nodes, edges }, nodeId, CONTAINER_TYPES);
    expect(from('inner')).toEqual([{ nodeId: 'outer', gives: 'input' }]);
    expect(from('pay')).toEqual([{ nodeId: 'inner', gives: 'input' }]);
    expect(from('check')).toEqual([{ nodeId: 'pay', gives: 'output' }]);
    expect(from('undo')).toEqual([{ nodeId: 'inner', gives: 'output' }]);
    const circle = [...edges, { source: 'inner', sourceHandle: 'body', target: 'outer' }];
    expect(sourcesOf({ nodes, edges: circle }, 'inner', CONTAINER_TYPES)).toEqual([
      { nodeId: 'outer', gives: 'output' },
    ]);
  });

  it('comes from each node once, however many edges lead from it', () => {
    const edges = ['true', 'false'].map((sourceHandle) => ({ source: 'if', sourceHandle, target: 'end' }));
    expect(sourcesOf({ nodes: [], edges }, 'end', CONTAINER_TYPES)).toEqual([{ nodeId: 'if', gives: 'output' }]);
  });
});

describe('the expression of the data from a node', () => {
  const guarded: Definition = {
    nodes: [...LOOPS.nodes, { id: 'try', type: 'try' }, { id: 'pay-now', type: 'set' }, { id: 'after', type: 'set' }],
    edges: [
      ...LOOPS.edges,
      { source: 'end', target: 'try' },
      { source: 'try', sourceHandle: 'body', target: 'pay-now' },
      { source: 'try', sourceHandle: 'success', target: 'after' },
      { source: 'pay-now', target: 'check' },
    ],
  };
  const read = (of: string, at: string) =>
    expressionOf(guarded, { of, at, triggerId: 'start', types: CONTAINER_TYPES });

  it('is that of the trigger, or of an output by the id of its node', () => {
    expect(read('start', 'end')).toBe('$trigger');
    expect(read('outer', 'end')).toBe('$nodes.outer.output');
    expect(read('pay-now', 'check')).toBe('$nodes["pay-now"].output');
  });

  it('is the input at the beginning of a body, where the loop or try has no output yet', () => {
    expect(read('outer', 'first')).toBe('$input');
    expect(read('try', 'pay-now')).toBe('$input');
    expect(read('outer', 'deep')).toBeUndefined();
    expect(read('try', 'check')).toBeUndefined();
    expect(read('try', 'after')).toBe('$nodes.try.output');
    expect(containersAround(guarded, 'deep', CONTAINER_TYPES).map(({ node }) => node.id)).toEqual(['inner', 'outer']);
  });

  it('does not exist for nodes that are not before it', () => {
    expect(read('end', 'first')).toBeUndefined();
    expect(read('end', 'end')).toBeUndefined();
  });
});

describe('what a node has done when another reads its output', () => {
  /** call → (well | error: failed → both), both ← well; guard: try → (body: inner | error: undo | success: next) */
  const branches = (onError: 'stop' | 'continue' | 'branch'): Definition => ({
    nodes: [
      { id: 'call', type: 'set', onError },
      ...['well', 'failed', 'last', 'both', 'inner', 'undo', 'next'].map((id) => ({ id, type: 'set' })),
      { id: 'guard', type: 'try' },
    ],
    edges: [
      { source: 'call', target: 'well' },
      { source: 'call', sourceHandle: 'error', target: 'failed' },
      { source: 'failed', target: 'last' },
      { source: 'failed', target: 'both' },
      { source: 'well', target: 'both' },
      { source: 'guard', sourceHandle: 'body', target: 'inner' },
      { source: 'guard', sourceHandle: 'error', target: 'undo' },
      { source: 'guard', sourceHandle: 'success', target: 'next' },
    ],
  });

  it.each([
    ['call', 'branch', { well: 'success', failed: 'error', last: 'error', both: 'either' }],
    ['call', 'continue', { well: 'either', both: 'either' }],
    ['call', 'stop', { well: 'success', both: 'success' }],
    ['guard', 'stop', { undo: 'error', next: 'success' }],
  ] as const)('follows from the branch: %s with %s', (of, onError, expected) => {
    const seen = Object.keys(expected).map((at) => [
      at,
      outcomeOf(branches(onError), { of, at, types: CONTAINER_TYPES }),
    ]);
    expect(Object.fromEntries(seen)).toEqual(expected);
  });
});

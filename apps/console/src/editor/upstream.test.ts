import { describe, expect, it } from '@jest/globals';
import type { Definition } from '@deckhand/contracts';
import { loopAround, nodesBefore, sourcesOf } from './upstream.js';

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
    const around = (nodeId: string) => loopAround(LOOPS, nodeId)?.id;
    expect(around('deep')).toBe('inner');
    expect(['first', 'inner', 'last'].map(around)).toEqual(['outer', 'outer', 'outer']);
    expect(['start', 'outer', 'end'].map(around)).toEqual([undefined, undefined, undefined]);
  });
});

describe('what comes to a node', () => {
  it('is an item where it comes right from the loop around it', () => {
    expect(sourcesOf(LOOPS, 'first', 'outer')).toEqual([{ nodeId: 'outer', isItem: true }]);
    expect(sourcesOf(LOOPS, 'last', 'outer')).toEqual([{ nodeId: 'inner', isItem: false }]);
    expect(sourcesOf(LOOPS, 'end', undefined)).toEqual([{ nodeId: 'outer', isItem: false }]);
  });

  it('comes from each node once, however many edges lead from it', () => {
    const edges = ['true', 'false'].map((sourceHandle) => ({ source: 'if', sourceHandle, target: 'end' }));
    expect(sourcesOf({ nodes: [], edges }, 'end', undefined)).toEqual([{ nodeId: 'if', isItem: false }]);
  });
});

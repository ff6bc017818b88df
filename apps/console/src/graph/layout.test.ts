import { describe, expect, it } from '@jest/globals';
import type { Definition } from '@deckhand/contracts';
import { nodeTypeOf, nodeTypesOf } from '../testing/node-type.ts';
import { layOut, placeNodes } from './layout.ts';

const DIAMOND: Definition = {
  nodes: ['start', 'left', 'right', 'end'].map((id) => ({ id, type: 'set' })),
  edges: [
    { source: 'start', target: 'left' },
    { source: 'start', target: 'right' },
    { source: 'left', target: 'end' },
    { source: 'right', target: 'end' },
    { source: 'right', target: 'gone' },
  ],
};

describe('layOut', () => {
  it('puts parallel branches below each other in the order of their edges, as far as they go', () => {
    const lanes = ['a', 'b', 'c', 'd'];
    const nodes = ['start', ...lanes.flatMap((lane) => [`${lane}1`, `${lane}2`])].map((id) => ({ id, type: 'set' }));
    const edges = lanes.flatMap((lane) => [
      { source: 'start', target: `${lane}1` },
      { source: `${lane}1`, target: `${lane}2` },
    ]);
    // The nodes in another order than the edges.
    const places = layOut({ nodes: nodes.toReversed(), edges }, new Map());
    for (const step of [1, 2]) {
      const downwards = lanes.toSorted((a, b) => places.get(`${a}${step}`)!.y - places.get(`${b}${step}`)!.y);
      expect(downwards).toEqual(lanes);
    }
  });

  it('leads from left to right, and puts no node on another', () => {
    const places = layOut(DIAMOND, new Map());
    const [start, left, right, end] = DIAMOND.nodes.map(({ id }) => places.get(id)!);
    expect(start!.x).toBeLessThan(left!.x);
    expect(left!.x).toBe(right!.x);
    expect(left!.y).not.toBe(right!.y);
    expect(right!.x).toBeLessThan(end!.x);
  });
});

describe('the outputs of a node', () => {
  const types = nodeTypesOf(nodeTypeOf('if', { handles: ['true', 'false'] }));

  it('lead to nodes in the same order, however the edges are listed', () => {
    const branches: Definition = {
      nodes: [
        { id: 'check', type: 'if' },
        { id: 'no', type: 'if' },
        { id: 'yes', type: 'if' },
        ...['noNo', 'noYes', 'yesNo', 'yesYes'].map((id) => ({ id, type: 'set' })),
      ],
      edges: [
        { source: 'check', sourceHandle: 'false', target: 'no' },
        { source: 'check', sourceHandle: 'true', target: 'yes' },
        { source: 'no', sourceHandle: 'false', target: 'noNo' },
        { source: 'no', sourceHandle: 'true', target: 'noYes' },
        { source: 'yes', sourceHandle: 'false', target: 'yesNo' },
        { source: 'yes', sourceHandle: 'true', target: 'yesYes' },
      ],
    };
    const places = layOut(branches, types);
    const downwards = (ids: string[]) => ids.sort((a, b) => places.get(a)!.y - places.get(b)!.y);
    expect(downwards(['no', 'yes'])).toEqual(['yes', 'no']);
    expect(downwards(['noNo', 'noYes', 'yesNo', 'yesYes'])).toEqual(['yesYes', 'yesNo', 'noYes', 'noNo']);
    const tops = ['yesYes', 'yesNo', 'noYes', 'noNo'].map((id) => places.get(id)!.y);
    expect(tops.slice(1).every((top, index) => top - tops[index]! >= 58)).toBe(true);
  });
});

describe('placeNodes', () => {
  it('keeps the positions of a definition that has them all', () => {
    const nodes = DIAMOND.nodes.map((node, x) => ({ ...node, position: { x, y: 5 } }));
    expect([...placeNodes({ ...DIAMOND, nodes }, new Map())]).toEqual(nodes.map(({ id, position }) => [id, position]));
  });

  it('lays everything out as soon as one has none', () => {
    const nodes = DIAMOND.nodes.map((node, index) => (index === 0 ? { ...node, position: { x: 900, y: 900 } } : node));
    expect(placeNodes({ ...DIAMOND, nodes }, new Map())).toEqual(layOut(DIAMOND, new Map()));
  });
});

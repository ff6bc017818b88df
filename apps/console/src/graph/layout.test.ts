import { describe, expect, it } from '@jest/globals';
import type { Definition } from '@deckhand/contracts';
import { layOut, placeNodes } from './layout.js';

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
  it('leads from left to right, and puts no node on another', () => {
    const places = layOut(DIAMOND, new Map());
    const [start, left, right, end] = DIAMOND.nodes.map(({ id }) => places.get(id)!);
    expect(start!.x).toBeLessThan(left!.x);
    expect(left!.x).toBe(right!.x);
    expect(left!.y).not.toBe(right!.y);
    expect(right!.x).toBeLessThan(end!.x);
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

import { describe, expect, it } from '@jest/globals';
import type { Definition } from '@deckhand/contracts';
import { layOut } from './layout.ts';
import { nodeTypeOf, nodeTypesOf } from '../testing/node-type.ts';
import { placeUnited, uniteDefinitions, uniteHandles } from './unite-definitions.ts';

const NO_TYPES = new Map();
const BEFORE: Definition = {
  nodes: [
    { id: 'start', type: 'set', name: 'Old', position: { x: 0, y: 0 } },
    { id: 'gone', type: 'set', position: { x: 300, y: 0 } },
  ],
  edges: [{ source: 'start', target: 'gone' }],
};
const AFTER: Definition = {
  nodes: [
    { id: 'start', type: 'set', name: 'New', position: { x: 10, y: 0 } },
    { id: 'fresh', type: 'set', position: { x: 300, y: 200 } },
  ],
  edges: [{ source: 'start', target: 'fresh' }],
};

describe('two definitions on one graph', () => {
  it('have every node once, as the later one has it, and the edges of both', () => {
    expect(uniteDefinitions(BEFORE, AFTER)).toEqual({
      nodes: [...AFTER.nodes, BEFORE.nodes[1]],
      edges: [...BEFORE.edges, ...AFTER.edges],
    });
    expect(uniteDefinitions(AFTER, AFTER)).toEqual(AFTER);
  });

  it('stand where they stood', () => {
    expect([...placeUnited(BEFORE, AFTER, NO_TYPES)]).toEqual([
      ['start', { x: 10, y: 0 }],
      ['fresh', { x: 300, y: 200 }],
      ['gone', { x: 300, y: 0 }],
    ]);
  });

  it('are laid out anew where a removed node would lie on another', () => {
    const replaced = { ...AFTER, nodes: AFTER.nodes.map((node) => ({ ...node, position: { x: 320, y: 30 } })) };
    expect(placeUnited(BEFORE, replaced, NO_TYPES)).toEqual(layOut(uniteDefinitions(BEFORE, replaced), NO_TYPES));
  });

  it('keep the outputs that only one of them has', () => {
    const cases = (...handles: string[]): Definition => ({
      nodes: [{ id: 'way', type: 'route', parameters: { cases: handles.map((handle) => ({ handle, equals: 1 })) } }],
      edges: [],
    });
    const handlesBy = { parameter: 'cases', member: 'handle', fixed: ['default'] };
    const types = nodeTypesOf(nodeTypeOf('route', { handles: ['default'], handlesBy }));
    expect(uniteHandles(cases('a', 'b'), cases('b', 'c'), types).get('way')).toEqual(['b', 'c', 'default', 'a']);
  });
});

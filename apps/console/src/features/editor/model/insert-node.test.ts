import { describe, expect, it } from '@jest/globals';
import type { Definition } from '@deckhand/contracts';
import { nodeTypeOf, nodeTypesOf } from '../../../testing/node-type.ts';
import { insertNode } from './insert-node.ts';

const WAIT = nodeTypeOf('wait');
const types = nodeTypesOf(WAIT, nodeTypeOf('if', { handles: ['true', 'false'] }));
const DEFINITION: Definition = {
  nodes: [
    { id: 'check', type: 'if', position: { x: 0, y: 0 } },
    { id: 'ship', type: 'set', position: { x: 280, y: 40 } },
    { id: 'bill', type: 'set', position: { x: 560, y: 0 } },
  ],
  edges: [
    { source: 'check', sourceHandle: 'true', target: 'ship', targetHandle: 'in' },
    { source: 'ship', target: 'bill' },
  ],
};

const insert = (spot: Parameters<typeof insertNode>[2], type = WAIT) =>
  insertNode(DEFINITION, type, spot, { types, last: DEFINITION.nodes[2] });

describe('a new node', () => {
  it('takes its place on an edge: both halves keep the handles, and the nodes from the target on move aside', () => {
    const { definition, node } = insert({ kind: 'edge', id: 'check:true>ship' });
    expect(definition.edges).toEqual([
      { source: 'ship', target: 'bill' },
      { source: 'check', sourceHandle: 'true', target: node.id },
      { source: node.id, target: 'ship', targetHandle: 'in' },
    ]);
    expect(definition.nodes.map(({ position }) => position?.x)).toEqual([0, 560, 840, 280]);
  });

  it('leads on by its first output', () => {
    const { definition, node } = insert({ kind: 'edge', id: 'ship:>bill' }, types.get('if'));
    expect(definition.edges.at(-1)).toEqual({ source: node.id, sourceHandle: 'true', target: 'bill' });
  });

  it('follows the output that was chosen, where the connection was dropped', () => {
    const position = { x: 10, y: 300 };
    const { definition, node } = insert({ kind: 'output', source: 'check', sourceHandle: 'false', position });
    expect(node.position).toEqual(position);
    expect(definition.edges.at(-1)).toEqual({ source: 'check', sourceHandle: 'false', target: node.id });
  });

  it('follows the last node otherwise, but a trigger follows none', () => {
    const { definition, node } = insert({ kind: 'next' });
    expect(definition.edges.at(-1)).toEqual({ source: 'bill', target: node.id });
    expect(insert({ kind: 'next' }, nodeTypeOf('trigger.webhook', { isTrigger: true })).definition.edges).toEqual(
      DEFINITION.edges,
    );
  });
});

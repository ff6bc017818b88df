import { describe, expect, it } from '@jest/globals';
import type { Definition } from '@deckhand/contracts';
import {
  addNode,
  connect,
  copyNodes,
  disconnect,
  endOfChain,
  newNode,
  paste,
  placeBeside,
  removeNodes,
} from './edits.ts';
import { FIRST_DEFINITION, isFirst } from './first-definition.ts';
import { describeIssues, issuesByNode } from './issues.ts';
import { begin, edit, redo, undo } from './history.ts';
import { nodeTypeOf } from '../../../testing/node-type.ts';

const SET = nodeTypeOf('set', { title: 'Edit fields' });
const EMPTY: Definition = { nodes: [], edges: [] };
const TWO: Definition = {
  nodes: [
    { id: 'set', type: 'set', position: { x: 0, y: 0 } },
    { id: 'set2', type: 'set', position: { x: 280, y: 0 } },
  ],
  edges: [{ source: 'set', target: 'set2' }],
};

describe('edits', () => {
  it('give every node an id of its own, and a place that is free', () => {
    const one = addNode(EMPTY, newNode(EMPTY, SET, placeBeside(EMPTY)));
    const [first] = one.nodes;
    const two = addNode(one, newNode(one, SET, placeBeside(one, first)));
    const three = addNode(two, newNode(two, SET, placeBeside(two, first)));
    expect(three.nodes.map(({ id }) => id)).toEqual(['set', 'set2', 'set3']);
    expect(new Set(three.nodes.map(({ position }) => JSON.stringify(position))).size).toBe(3);
  });

  it('connect two nodes once, and no node with itself', () => {
    expect(connect(TWO, { source: 'set', target: 'set2' })).toBe(TWO);
    expect(connect(TWO, { source: 'set', target: 'set' })).toBe(TWO);
    expect(connect(TWO, { source: 'set', sourceHandle: 'error', target: 'set2' }).edges).toHaveLength(2);
  });

  it('continue a plain chain at its end, and no other graph', () => {
    const types = new Map([
      ['set', SET],
      ['if', { ...SET, type: 'if', handles: ['true', 'false'] }],
    ]);
    expect(endOfChain(TWO, types)?.id).toBe('set2');
    expect(endOfChain({ ...TWO, edges: [] }, types)).toBeUndefined();
    expect(endOfChain(EMPTY, types)).toBeUndefined();
    const branched = addNode(TWO, { id: 'if', type: 'if' }, { source: 'set2', target: 'if' });
    expect(endOfChain(branched, types)).toBeUndefined();
    const forked = addNode(TWO, { id: 'set3', type: 'set' }, { source: 'set', target: 'set3' });
    expect(endOfChain(forked, types)).toBeUndefined();
  });

  it('know the definition of a new workflow, wherever its node is', () => {
    const [start] = FIRST_DEFINITION.nodes;
    const moved = { ...FIRST_DEFINITION, nodes: [{ ...start!, parameters: {}, position: { x: 10, y: 0 } }] };
    expect(isFirst(moved)).toBe(true);
    expect(isFirst({ ...FIRST_DEFINITION, nodes: [{ ...start!, name: 'By hand' }] })).toBe(false);
    expect(isFirst(TWO)).toBe(false);
  });

  it('take the edges of a removed node along', () => {
    expect(removeNodes(TWO, new Set(['set2']))).toEqual({ nodes: [TWO.nodes[0]], edges: [] });
    expect(disconnect(TWO, new Set(['set:>set2'])).edges).toEqual([]);
  });

  it('paste copies that are connected as the originals were', () => {
    const { definition, ids } = paste(TWO, copyNodes(TWO, new Set(['set', 'set2'])));
    expect([...ids]).toEqual(['set3', 'set4']);
    expect(definition.edges.at(-1)).toEqual({ source: 'set3', target: 'set4' });
  });
});

describe('history', () => {
  it('takes back what belongs together at once, and makes it again', () => {
    let history = begin('a');
    history = edit(history, 'b', 'drag');
    history = edit(history, 'c', 'drag');
    history = edit(history, 'd', 'type');
    expect(undo(history).present).toBe('c');
    expect(undo(undo(history)).present).toBe('a');
    expect(redo(undo(undo(history))).present).toBe('c');
    expect(edit(undo(history), 'e').future).toEqual([]);
  });
});

describe('the issues of a save', () => {
  it('are described by the names on the canvas, and joined by node', () => {
    const named: Definition = { ...TWO, nodes: TWO.nodes.map((one) => ({ ...one, name: `Step ${one.id}` })) };
    const described = describeIssues(named, [
      { path: 'definition.nodes[1].parameters.fields.sku', message: 'is required' },
      { path: 'definition.nodes[1].type', message: 'is unknown' },
      { path: 'definition.edges[0]', message: 'leads nowhere' },
      { path: 'definition.settings.timeoutSeconds', message: 'must be > 0' },
      { path: 'definition', message: 'has no trigger' },
    ]);
    expect(described.map(({ place, parameter, text }) => [place, parameter, text])).toEqual([
      ['Step set2', 'fields', 'fields.sku is required'],
      ['Step set2', undefined, 'type is unknown'],
      ['Step set → Step set2', undefined, 'leads nowhere'],
      ['Settings', undefined, 'timeoutSeconds must be > 0'],
      ['Workflow', undefined, 'has no trigger'],
    ]);
    expect([...issuesByNode(described)]).toEqual([['set2', 'fields.sku is required; type is unknown']]);
  });
});

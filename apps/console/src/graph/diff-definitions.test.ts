import { describe, expect, it } from '@jest/globals';
import type { Definition, JsonObject } from '@deckhand/contracts';
import { diffDefinitions } from './diff-definitions.ts';

const NOTHING = { nodes: [], edges: [], settings: [], notes: [] };

const ORDERS: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual' },
    { id: 'keep', type: 'set', name: 'Keep it', parameters: { fields: { sku: 'a', size: 1 } } },
    { id: 'check', type: 'if', parameters: { condition: '{{ true }}' }, position: { x: 1, y: 2 } },
  ],
  edges: [
    { source: 'start', target: 'keep' },
    { source: 'keep', target: 'check' },
  ],
  settings: { timeoutSeconds: 60 },
};

/** What differs in the parameters of one node. */
function diffParameters(before: JsonObject, after: JsonObject) {
  const of = (parameters: JsonObject): Definition => ({ nodes: [{ id: 'a', type: 'set', parameters }], edges: [] });
  return diffDefinitions(of(before), of(after)).nodes.flatMap(({ values }) => values);
}

describe('two definitions', () => {
  it('do not differ by where their nodes stand, nor in which order they are named', () => {
    const moved = {
      nodes: ORDERS.nodes.map((node, x) => ({ ...node, position: { x, y: 9 } })).toReversed(),
      edges: ORDERS.edges.toReversed(),
      settings: ORDERS.settings,
    };
    expect(diffDefinitions(ORDERS, moved)).toEqual(NOTHING);
  });

  it('do not differ by saying what holds anyway', () => {
    const nodes = ORDERS.nodes.map((node) => ({ parameters: {}, disabled: false, onError: 'stop' as const, ...node }));
    expect(diffDefinitions(ORDERS, { ...ORDERS, nodes })).toEqual(NOTHING);
    expect(diffDefinitions({ nodes: [], edges: [] }, { nodes: [], edges: [], settings: {} })).toEqual(NOTHING);
  });

  it('differ by what notes say, not by where they are', () => {
    const note = (id: string, text: string, x = 0) => ({ id, text, position: { x, y: 0 } });
    const before = { ...ORDERS, notes: [note('a', 'A'), note('b', 'B'), note('c', 'C')] };
    const after = {
      ...ORDERS,
      notes: [{ ...note('a', 'A', 9), color: 'yellow' as const }, note('b', 'BB'), note('d', 'D')],
    };
    expect(diffDefinitions(before, after)).toEqual({
      ...NOTHING,
      notes: [
        { change: 'changed', note: after.notes[1] },
        { change: 'added', note: after.notes[2] },
        { change: 'removed', note: before.notes[2] },
      ],
    });
  });

  it('differ by the nodes that were added, changed and removed, in that order of the later one', () => {
    const after: Definition = {
      ...ORDERS,
      nodes: [
        {
          id: 'keep',
          type: 'set',
          name: 'Keep all',
          parameters: { fields: { sku: 'b', size: 1 } },
          retry: { maxAttempts: 3 },
        },
        { id: 'mail', type: 'email', parameters: { to: 'a@b.example' }, onError: 'continue' },
        { id: 'start', type: 'trigger.manual' },
      ],
    };
    expect(diffDefinitions(ORDERS, after).nodes).toEqual([
      {
        change: 'changed',
        node: after.nodes[0],
        values: [
          { path: ['parameters', 'fields', 'sku'], before: 'a', after: 'b' },
          { path: ['name'], before: 'Keep it', after: 'Keep all' },
          { path: ['retry', 'maxAttempts'], before: undefined, after: 3 },
        ],
      },
      {
        change: 'added',
        node: after.nodes[1],
        values: [
          { path: ['parameters', 'to'], before: undefined, after: 'a@b.example' },
          { path: ['onError'], before: 'stop', after: 'continue' },
        ],
      },
      {
        change: 'removed',
        node: ORDERS.nodes[2],
        values: [{ path: ['parameters', 'condition'], before: '{{ true }}', after: undefined }],
      },
    ]);
  });

  it('differ by edges that leave or arrive another way', () => {
    const edges = [
      { source: 'start', target: 'keep', targetHandle: 'second' },
      { source: 'keep', target: 'check' },
      { source: 'check', sourceHandle: 'true', target: 'keep' },
    ];
    expect(diffDefinitions(ORDERS, { ...ORDERS, edges }).edges).toEqual([
      { change: 'added', edge: edges[0] },
      { change: 'added', edge: edges[2] },
      { change: 'removed', edge: ORDERS.edges[0] },
    ]);
  });

  it('differ by the settings of the workflow', () => {
    const settings = { rateLimit: { max: 5, windowSeconds: 60 } };
    expect(diffDefinitions(ORDERS, { ...ORDERS, settings }).settings).toEqual([
      { path: ['rateLimit', 'max'], before: undefined, after: 5 },
      { path: ['rateLimit', 'windowSeconds'], before: undefined, after: 60 },
      { path: ['timeoutSeconds'], before: 60, after: undefined },
    ]);
  });

  it('differ in a list member by member, or as a whole once it is longer', () => {
    const cases = [
      { handle: 'a', equals: 1 },
      { handle: 'b', equals: 3 },
    ];
    expect(
      diffParameters(
        { cases },
        {
          cases: [
            { handle: 'a', equals: 2 },
            { handle: 'b', equals: 3 },
          ],
        },
      ),
    ).toEqual([{ path: ['parameters', 'cases', 0, 'equals'], before: 1, after: 2 }]);
    expect(diffParameters({ cases }, { cases: [{ handle: 'a', equals: 1 }] })).toEqual([
      { path: ['parameters', 'cases'], before: cases, after: [{ handle: 'a', equals: 1 }] },
    ]);
  });

  it('differ where a value is of another kind, or there at all', () => {
    expect(diffParameters({ a: '5', b: null, c: {} }, { a: 5, d: {} })).toEqual([
      { path: ['parameters', 'a'], before: '5', after: 5 },
      { path: ['parameters', 'd'], before: undefined, after: {} },
      { path: ['parameters', 'b'], before: null, after: undefined },
      { path: ['parameters', 'c'], before: {}, after: undefined },
    ]);
    expect(diffParameters({ a: ['x'] }, { a: { 0: 'x' } })).toEqual([
      { path: ['parameters', 'a'], before: ['x'], after: { 0: 'x' } },
    ]);
  });
});

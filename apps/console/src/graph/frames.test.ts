import { describe, expect, it } from '@jest/globals';
import type { Definition } from '@deckhand/contracts';
import { CONTAINER_TYPES } from '../testing/node-type.ts';
import { containersOf } from './containers.ts';
import { framesOf, iterationsOf } from './frames.ts';

const DEFINITION: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual' },
    { id: 'outer', type: 'loop', name: 'Each order' },
    { id: 'a', type: 'set' },
    { id: 'inner', type: 'try' },
    { id: 'b', type: 'set' },
    { id: 'empty', type: 'loop' },
    { id: 'after', type: 'set' },
    { id: 'choice', type: 'switch' },
  ],
  edges: [
    { source: 'start', target: 'outer' },
    { source: 'outer', sourceHandle: 'body', target: 'a' },
    { source: 'a', target: 'inner' },
    { source: 'inner', sourceHandle: 'body', target: 'b' },
    { source: 'outer', sourceHandle: 'done', target: 'after' },
    { source: 'choice', sourceHandle: 'body', target: 'after' },
  ],
};

describe('the frames of containers', () => {
  const containers = containersOf(DEFINITION, CONTAINER_TYPES);

  it('contain all nodes of their bodies, inner ones first', () => {
    expect(containers.map(({ node, body }) => [node.id, [...body]])).toEqual([
      ['inner', ['b']],
      ['outer', ['a', 'inner', 'b']],
    ]);
  });

  it('are around their nodes and the frames in them', () => {
    const at = (x: number, y: number) => ({ x, y, width: 100, height: 50 });
    const boxes = new Map([
      ['a', at(0, 0)],
      ['inner', at(200, 0)],
      ['b', at(400, 100)],
    ]);
    expect(framesOf(containers, boxes)).toEqual(
      new Map([
        ['inner', { x: 384, y: 62, width: 132, height: 104 }],
        ['outer', { x: -16, y: -38, width: 548, height: 220 }],
      ]),
    );
    expect(framesOf(containers, new Map()).size).toBe(0);
  });

  it('are around the tools of an agent, and in a loop inside that of the loop', () => {
    const agents: Definition = {
      nodes: [
        { id: 'each', type: 'loop' },
        { id: 'clerk', type: 'agent' },
        { id: 'find', type: 'set' },
        { id: 'tell', type: 'set' },
        { id: 'reply', type: 'set' },
      ],
      edges: [
        { source: 'each', sourceHandle: 'body', target: 'clerk' },
        { source: 'clerk', sourceHandle: 'body', target: 'find' },
        { source: 'clerk', sourceHandle: 'body', target: 'tell' },
        { source: 'clerk', sourceHandle: 'done', target: 'reply' },
      ],
    };
    const found = containersOf(agents, CONTAINER_TYPES);
    expect(found.map(({ node, kind, own }) => [node.id, kind, own])).toEqual([
      ['clerk', 'agent', ['find', 'tell']],
      ['each', 'loop', ['clerk', 'reply']],
    ]);
    const boxes = new Map(agents.nodes.map(({ id }, at) => [id, { x: at * 200, y: 0, width: 100, height: 50 }]));
    expect([...framesOf(found, boxes).keys()]).toEqual(['clerk', 'each']);
  });

  it('end in a graph with cycles, which a draft may have', () => {
    const cyclic: Definition = {
      nodes: [
        { id: 'one', type: 'loop' },
        { id: 'other', type: 'loop' },
      ],
      edges: [
        { source: 'one', sourceHandle: 'body', target: 'other' },
        { source: 'other', sourceHandle: 'body', target: 'one' },
      ],
    };
    const boxes = new Map(cyclic.nodes.map(({ id }) => [id, { x: 0, y: 0, width: 1, height: 1 }]));
    expect(framesOf(containersOf(cyclic, CONTAINER_TYPES), boxes).size).toBe(1);
  });

  it('count the iterations of a run', () => {
    const entry = { status: 'success', startedAt: null, finishedAt: null, attempts: 1, outputBytes: 0 } as const;
    const progress = {
      a: { ...entry, iterations: 3 },
      inner: { ...entry, iterations: 3 },
      // In the try, and in what a loop there would repeat.
      b: { ...entry, iterations: 30 },
    };
    expect(containers.map((each) => iterationsOf(each, progress))).toEqual([undefined, 3]);
  });
});

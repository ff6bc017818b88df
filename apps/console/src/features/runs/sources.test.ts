import { describe, expect, it } from '@jest/globals';
import type { NodeProgress } from '@deckhand/contracts';
import { CONTAINER_TYPES } from '../../testing/node-type.ts';
import { containersOf, sourcesOf } from './sources.ts';

const ran = (status: NodeProgress['status'], outputBytes = 0): NodeProgress => ({
  status,
  outputBytes,
  startedAt: null,
  finishedAt: null,
  attempts: 1,
});

describe('what came to a node', () => {
  it('is of those before it that ran, each once, in the order of the edges', () => {
    const edges = [
      { source: 'b', target: 'end' },
      { source: 'a', sourceHandle: 'true', target: 'end' },
      { source: 'a', sourceHandle: 'false', target: 'end' },
      { source: 'c', target: 'end' },
      { source: 'd', target: 'end' },
      { source: 'a', target: 'elsewhere' },
    ];
    const progress = { a: ran('success'), b: ran('failed', 12), c: ran('skipped'), elsewhere: ran('success') };
    expect(sourcesOf('end', edges, progress)).toEqual(['b', 'a']);
    expect(sourcesOf('a', edges, progress)).toEqual([]);
  });

  it('is an item or the input of a loop or try at the beginning of its body', () => {
    const definition = {
      nodes: [
        { id: 'each', type: 'loop' },
        { id: 'choose', type: 'switch' },
      ],
      edges: [
        { source: 'each', sourceHandle: 'body', target: 'first' },
        { source: 'first', target: 'second' },
        { source: 'each', sourceHandle: 'done', target: 'end' },
        { source: 'choose', sourceHandle: 'body', target: 'second' },
      ],
    };
    expect(containersOf('first', definition, CONTAINER_TYPES)).toEqual(['each']);
    expect(containersOf('second', definition, CONTAINER_TYPES)).toEqual([]);
    expect(containersOf('end', definition, CONTAINER_TYPES)).toEqual([]);
  });
});

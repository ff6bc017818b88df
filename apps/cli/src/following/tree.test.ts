import type { Definition } from '@deckhand/sdk/operations';
import { describe, expect, it } from '@jest/globals';
import { layOut } from './tree.ts';

/** Builds a definition from edges such as `a>b` and, with a handle, `a.true>b`. */
function definitionOf(...edges: string[]): Definition {
  const parsed = edges.map((edge) => {
    const [from = '', target = ''] = edge.split('>');
    const [source = '', sourceHandle] = from.split('.');
    return { source, target, ...(sourceHandle !== undefined && { sourceHandle }) };
  });
  const ids = new Set(parsed.flatMap(({ source, target }) => [source, target]));
  return { nodes: [...ids].map((id) => ({ id, type: 'set' })), edges: parsed };
}

const draw = (...edges: string[]): string[] =>
  layOut(definitionOf(...edges), 'start').map(({ prefix, nodeId, handle }) =>
    [prefix + nodeId, handle].filter((part) => part !== undefined).join(' '),
  );

describe('the tree of a run', () => {
  it('has nodes in a row below each other', () => {
    expect(draw('start>a', 'a>b', 'b>c')).toEqual(['start', 'a', 'b', 'c']);
  });

  it('has a branch for each output, and continues after they join', () => {
    expect(
      draw('start>check', 'check.true>big', 'big>mail', 'check.false>small', 'mail>end', 'small>end', 'end>log'),
    ).toEqual(['start', 'check', '├─ big true', '│  mail', '└─ small false', 'end', 'log']);
  });

  it('has a join below the branches that lead to it, also of inner branches, and where an edge skips a node', () => {
    expect(draw('start>a', 'start>b', 'a>c', 'a>d', 'c>e', 'd>e', 'e>end', 'b>end')).toEqual([
      'start',
      '├─ a',
      '│  ├─ c',
      '│  └─ d',
      '│  e',
      '└─ b',
      'end',
    ]);
    expect(draw('start>a', 'start>end', 'a>end')).toEqual(['start', '└─ a', 'end']);
  });

  it('has the body of a loop as a branch, and no node that the trigger does not reach', () => {
    expect(draw('start>each', 'each.body>send', 'each.done>end', 'other>lost')).toEqual([
      'start',
      'each',
      '├─ send body',
      '└─ end done',
    ]);
  });

  it('ends for edges that lead nowhere, back or twice to the same node', () => {
    expect(draw('start>a', 'a>start', 'a.x>b', 'a.y>b')).toEqual(['start', 'a', 'b']);
    const { nodes } = definitionOf('start>a');
    expect(
      layOut({ nodes, edges: [{ source: 'start', target: 'gone' }] }, 'start').map(({ nodeId }) => nodeId),
    ).toEqual(['start']);
    expect(layOut({ nodes: [], edges: [] }, 'start')).toHaveLength(1);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { EdgeDefinition, NodeDefinition } from '@deckhand/contracts';
import fc from 'fast-check';
import { BODY_HANDLE, isInside, nestContainers } from './loops.ts';

interface Graph {
  readonly nodes: readonly NodeDefinition[];
  readonly edges: readonly { readonly edge: EdgeDefinition; readonly path: string }[];
}

/** A graph without cycles: every edge leads from a lower number to a higher one. */
const graphs: fc.Arbitrary<Graph> = fc.integer({ min: 1, max: 9 }).chain((size) => {
  const number = fc.nat(size - 1);
  const ends = fc.array(fc.tuple(number, number, fc.boolean()), { maxLength: 14 });
  return fc
    .record({
      loops: fc.uniqueArray(number),
      ends,
      order: fc.shuffledSubarray([...Array(size).keys()], { minLength: size }),
    })
    .map(({ loops, ends: pairs, order }) => ({
      nodes: order.map((n) => ({ id: `${n}`, type: loops.includes(n) ? 'loop' : 'set' })),
      edges: pairs
        .filter(([a, b]) => a !== b)
        .map(([a, b, isBody], index) => {
          const [source, target] = [Math.min(a, b), Math.max(a, b)];
          const sourceHandle = loops.includes(source) ? (isBody ? BODY_HANDLE : 'done') : undefined;
          const ofHandle = sourceHandle === undefined ? {} : { sourceHandle };
          return { edge: { source: `${source}`, target: `${target}`, ...ofHandle }, path: `edges[${index}]` };
        }),
    }));
});

/** The body of a loop as the docs define it: all nodes that its `body` handle leads to. */
function bodyOf(loop: string, { edges }: Graph): Set<string> {
  const reached = new Set<string>();
  const reach = (id: string): void => {
    if (reached.has(id)) return;
    reached.add(id);
    for (const { edge } of edges) if (edge.source === id) reach(edge.target);
  };
  for (const { edge } of edges) if (edge.source === loop && edge.sourceHandle === BODY_HANDLE) reach(edge.target);
  return reached;
}

function withTypes(nodes: readonly NodeDefinition[]) {
  return nodes.map((node) => ({ node, type: { container: node.type === 'loop' ? ('loop' as const) : undefined } }));
}

describe('the bodies of loops', () => {
  it('are what their handles lead to, and are entered by these alone', () => {
    const property = fc.property(graphs, (graph) => {
      const loops = graph.nodes.filter(({ type }) => type === 'loop').map(({ id }) => id);
      const bodies = new Map(loops.map((loop) => [loop, bodyOf(loop, graph)]));
      const { innermost, issues } = nestContainers(withTypes(graph.nodes), graph.edges);
      const isBroken = graph.edges.some(({ edge }) =>
        [...bodies].some(
          ([loop, body]) =>
            body.has(edge.target) &&
            !body.has(edge.source) &&
            !(edge.source === loop && edge.sourceHandle === BODY_HANDLE),
        ),
      );
      expect(issues.length > 0).toBe(isBroken);
      if (isBroken) return;
      for (const { id } of graph.nodes)
        for (const [loop, body] of bodies) expect(isInside(loop, id, innermost)).toBe(body.has(id));
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it('are found in one go through thousands of loops in each other, which are too many', () => {
    const nodes = Array.from({ length: 5_000 }, (_, n) => ({ id: `${n}`, type: 'loop' }));
    const edges = nodes.slice(1).map(({ id }, n) => ({
      edge: { source: `${n}`, target: id, sourceHandle: BODY_HANDLE },
      path: `edges[${n}]`,
    }));
    expect(nestContainers(withTypes(nodes), edges).issues).toEqual([
      { path: 'nodes', message: '"20" is inside more than 20 loops and try nodes' },
    ]);
  });
});

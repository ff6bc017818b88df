/** A chain of `set` nodes, each of which counts on. */
export function chain(length: number): object {
  const ids = Array.from({ length }, (_, index) => `n${index}`);
  return {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      ...ids.map((id) => ({ id, type: 'set', parameters: { fields: { n: '{{ ($input.n ?? 0) + 1 }}' } } })),
    ],
    edges: ids.map((target, index) => ({ source: index === 0 ? 'start' : `n${index - 1}`, target })),
  };
}

/** A loop over `$trigger.items` with a `set` node inside. */
export function loop({ iterations, concurrency }: { iterations: number; concurrency: number }): object {
  const items = '{{ $trigger.items }}';
  return {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'each', type: 'loop', parameters: { items, concurrency, maxIterations: iterations } },
      { id: 'it', type: 'set', parameters: { fields: { n: '{{ $loop.item + 1 }}' } } },
    ],
    edges: [
      { source: 'start', target: 'each' },
      { source: 'each', sourceHandle: 'body', target: 'it' },
    ],
  };
}

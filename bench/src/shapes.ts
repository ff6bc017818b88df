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

/** A loop with a `set` node inside, over `$trigger.items` or over items that a `code` node makes. */
export function loop({
  iterations,
  concurrency,
  isMade = false,
}: {
  iterations: number;
  concurrency: number;
  isMade?: boolean;
}): object {
  const items = isMade ? '{{ $input }}' : '{{ $trigger.items }}';
  const source = `return Array.from({ length: ${iterations} }, (_, index) => index)`;
  return {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      ...(isMade ? [{ id: 'make', type: 'code', parameters: { source } }] : []),
      { id: 'each', type: 'loop', parameters: { items, concurrency, maxIterations: iterations } },
      { id: 'it', type: 'set', parameters: { fields: { n: '{{ $loop.item + 1 }}' } } },
    ],
    edges: [
      ...(isMade ? [{ source: 'start', target: 'make' }] : []),
      { source: isMade ? 'make' : 'start', target: 'each' },
      { source: 'each', sourceHandle: 'body', target: 'it' },
    ],
  };
}

import { type Definition, isJsonObject, type JsonValue, type NodeDefinition } from '@deckhand/contracts';
import { iterationsOf } from './random-graphs.js';

/** The reference result of one node run. */
export interface ReferenceRun {
  readonly status: 'success' | 'failed' | 'skipped';
  readonly output: JsonValue | undefined;
}

/** The reference result of a whole run. */
export interface Reference {
  /** By `node/iteration`. In loops only what ran. */
  readonly runs: ReadonlyMap<string, ReferenceRun>;
  /** Nodes whose failure ends the run; empty for a run that succeeds. */
  readonly fatal: ReadonlySet<string>;
}

/** Answers of `probe` nodes: a value, or "fail". */
export type ProbeAnswer = (nodeId: string, iteration: string) => JsonValue;

/**
 * Interprets a definition in the obvious way, one node after another, without checkpoints, concurrency or speed: the
 * engine is compared with it. Supports trigger.manual, probe (also disabled), if, wait, loop and merge (mode object)
 * with constant parameters, and the conditions of loops in random graphs.
 */
export function interpret(definition: Definition, answer: ProbeAnswer): Reference {
  const runs = new Map<string, ReferenceRun>();
  const fatal = new Set<string>();
  const bodies = new Map(definition.nodes.filter(isLoop).map((loop) => [loop.id, bodyOf(definition, loop.id)]));
  runRegion(undefined, '', {});
  return { runs, fatal };

  function runRegion(loop: string | undefined, iteration: string, item: JsonValue): JsonValue {
    const inside = definition.nodes.filter((node) => innermost(node.id) === loop);
    const left = new Map<string, { output: JsonValue; handle: string | undefined }>();
    for (const node of sorted(inside, definition)) {
      const incoming = definition.edges.filter((edge) => edge.target === node.id);
      const taken = incoming.flatMap((edge): [string, JsonValue][] => {
        if (edge.source === loop) return [[edge.source, item]];
        const source = left.get(edge.source);
        return source && source.handle === edge.sourceHandle ? [[edge.source, source.output]] : [];
      });
      if (taken.length === 0 && incoming.length > 0) {
        skip(node.id, iteration);
        continue;
      }
      const sources = new Set(incoming.map((edge) => edge.source));
      const input = sources.size === 1 ? (taken[0]?.[1] ?? null) : Object.fromEntries(taken);
      const way = runNode(node, iteration, input, Object.fromEntries(taken));
      if (way) left.set(node.id, way);
    }
    const ends = inside.filter(
      (node) =>
        !definition.edges.some((edge) => edge.source === node.id && inside.some(({ id }) => id === edge.target)),
    );
    const done = ends.flatMap(({ id }): [string, JsonValue][] => {
      const way = left.get(id);
      return way ? [[id, way.output]] : [];
    });
    if (ends.length === 1) return done[0]?.[1] ?? null;
    return done.length === 0 ? null : Object.fromEntries(done);
  }

  function runNode(node: NodeDefinition, iteration: string, input: JsonValue, taken: JsonValue) {
    const key = `${node.id}/${iteration}`;
    const succeed = (output: JsonValue, handle?: string) => {
      runs.set(key, { status: 'success', output });
      return { output, handle };
    };
    // A disabled node passes its input on.
    if (node.disabled === true) return succeed(input);
    switch (node.type) {
      case 'trigger.manual':
        return succeed({});
      case 'if':
        return succeed(input, node.parameters?.condition === true ? 'true' : 'false');
      case 'merge':
        return succeed(taken);
      case 'wait':
        return succeed(input);
      case 'set':
        return succeed({ size: JSON.stringify(input).length });
      case 'loop': {
        const { items, mode } = node.parameters ?? {};
        const isCondition = mode === 'while' || mode === 'until';
        const list: readonly JsonValue[] = Array.isArray(items) ? items : [];
        const count = isCondition ? iterationsOf(node.parameters ?? {}) : list.length;
        if (count === 0)
          for (const id of bodies.get(node.id) ?? [])
            runs.set(`${id}/${iteration}`, { status: 'skipped', output: undefined });
        const outputs: JsonValue[] = [];
        for (let index = 0; index < count; index += 1) {
          // With a condition, each iteration gets the output of the one before.
          const item = isCondition ? (index === 0 ? input : outputs[index - 1]) : list[index];
          outputs.push(runRegion(node.id, iteration === '' ? `${index}` : `${iteration}.${index}`, item ?? null));
        }
        return succeed(outputs, 'done');
      }
      default: {
        const value = answer(node.id, iteration);
        if (value !== 'fail') return succeed(value);
        const output = { error: { message: 'fail', code: 'PROBE' } };
        if (node.onError !== 'continue' && node.onError !== 'branch') {
          fatal.add(node.id);
          runs.set(key, { status: 'failed', output: undefined });
          return undefined;
        }
        runs.set(key, { status: 'failed', output });
        return { output, handle: node.onError === 'branch' ? 'error' : undefined };
      }
    }
  }

  function skip(id: string, iteration: string): void {
    runs.set(`${id}/${iteration}`, { status: 'skipped', output: undefined });
    for (const inner of bodies.get(id) ?? [])
      runs.set(`${inner}/${iteration}`, { status: 'skipped', output: undefined });
  }

  function innermost(id: string): string | undefined {
    const around = [...bodies].filter(([, body]) => body.has(id)).sort(([, a], [, b]) => a.size - b.size);
    return around[0]?.[0];
  }
}

function isLoop(node: NodeDefinition): boolean {
  return node.type === 'loop' && isJsonObject(node.parameters);
}

function bodyOf(definition: Definition, loop: string): Set<string> {
  const body = new Set(
    definition.edges.filter((edge) => edge.source === loop && edge.sourceHandle === 'body').map((edge) => edge.target),
  );
  for (const id of body) for (const edge of definition.edges) if (edge.source === id) body.add(edge.target);
  return body;
}

/** Sources before targets; edges of the generated graphs always lead from a smaller number to a larger one. */
function sorted(nodes: readonly NodeDefinition[], definition: Definition): NodeDefinition[] {
  const order = new Map(definition.nodes.map(({ id }, index) => [id, index]));
  return [...nodes].sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
}

import { type Definition, isJsonObject, type JsonValue, type NodeDefinition } from '@deckhand/contracts';
import type { NodeRecord } from '@deckhand/engine';
import { iterationsOf } from './random-graphs.ts';

/** The reference result of one node run. */
export interface ReferenceRun {
  /** `cancelled` by an early join: `stopped` or `skipped` in the records, by how far it had come. */
  readonly status: 'success' | 'failed' | 'skipped' | 'cancelled';
  readonly output: JsonValue | undefined;
}

/** The reference result of a whole run. */
export interface Reference {
  /** By `node/iteration`. In loops only what ran. */
  readonly runs: ReadonlyMap<string, ReferenceRun>;
  /** Nodes whose failure ends the run; empty for a run that succeeds. */
  readonly fatal: ReadonlySet<string>;
  /**
   * What early joins and try nodes decided wrongly. They may decide in several ways, by which branch is faster, or
   * which node fails first.
   */
  readonly wrong: readonly string[];
  /** Whether a node run is part of a cancelled body, of a loop or a try: it may have got to anything. */
  readonly isInCancelledBody: (key: string) => boolean;
}

/** What early joins and try nodes decided in the run that is compared, by `node/iteration`. */
export interface Observed {
  readonly output: JsonValue | undefined;
  readonly handle: string | null;
  /** For one that cancels the rest: the edges that it took, by their index, and the nodes that it cancelled. */
  readonly decision: { readonly taken: readonly number[]; readonly cancelled: readonly string[] } | undefined;
}

/** Answers of `probe` nodes: a value, or "fail". */
export type ProbeAnswer = (nodeId: string, iteration: string) => JsonValue;

/**
 * Interprets a definition in the obvious way, one node after another, without checkpoints, concurrency or speed: the
 * engine is compared with it. Supports trigger.manual, probe (also disabled), if, wait, loop, try and merge (object,
 * any, count) with constant parameters, and the conditions of loops in random graphs. It follows the observed decisions
 * of early joins and try nodes, after checking that they were possible.
 */
export function interpret(
  definition: Definition,
  answer: ProbeAnswer,
  observed: ReadonlyMap<string, Observed> = new Map(),
): Reference {
  const runs = new Map<string, ReferenceRun>();
  let fatal = new Set<string>();
  let wrong: string[] = [];
  const cancelledBodies: { body: ReadonlySet<string>; iteration: string }[] = [];
  const bodies = new Map(definition.nodes.filter(isContainer).map(({ id }) => [id, bodyOf(definition, id)]));
  runRegion(undefined, '', {});
  return {
    runs,
    fatal,
    wrong,
    isInCancelledBody(key) {
      const [nodeId = '', iteration = ''] = key.split('/');
      return cancelledBodies.some(
        ({ body, iteration: outer }) => body.has(nodeId) && (outer === '' || `${iteration}.`.startsWith(`${outer}.`)),
      );
    },
  };

  function runRegion(container: string | undefined, iteration: string, item: JsonValue): JsonValue {
    const inside = definition.nodes.filter((node) => innermost(node.id) === container);
    const left = new Map<string, { output: JsonValue; handle: string | undefined }>();
    const joins = inside.filter(isEarly);
    const cancelled = new Set(joins.flatMap(({ id }) => observed.get(`${id}/${iteration}`)?.decision?.cancelled ?? []));
    for (const node of sorted(inside, definition)) {
      const incoming = definition.edges.filter((edge) => edge.target === node.id);
      const taken = incoming.flatMap((edge): [string, JsonValue][] => {
        if (edge.source === container) return [[edge.source, item]];
        const source = left.get(edge.source);
        return source && source.handle === edge.sourceHandle ? [[edge.source, source.output]] : [];
      });
      if (cancelled.has(node.id)) {
        runs.set(`${node.id}/${iteration}`, { status: 'cancelled', output: undefined });
        const body = bodies.get(node.id);
        if (body) cancelledBodies.push({ body, iteration });
        continue;
      }
      if (taken.length === 0 && incoming.length > 0) {
        skip(node.id, iteration);
        continue;
      }
      if (isEarly(node)) {
        const outputs = incoming.map((edge): JsonValue | undefined => {
          if (edge.source === container) return item;
          const source = left.get(edge.source);
          return source && source.handle === edge.sourceHandle ? source.output : undefined;
        });
        const way = join(node, `${node.id}/${iteration}`, outputs, inside);
        if (way) left.set(node.id, way);
        continue;
      }
      const sources = new Set(incoming.map((edge) => edge.source));
      const input = sources.size === 1 ? (taken[0]?.[1] ?? null) : Object.fromEntries(taken);
      const way = runNode(node, iteration, input, Object.fromEntries(taken));
      if (way) left.set(node.id, way);
    }
    const edgesOf = (source: string) =>
      definition.edges.filter((edge) => edge.source === source && inside.some(({ id }) => id === edge.target));
    // An end is a finished node none of whose edges was taken.
    const ends = inside.flatMap(({ id }): [string, JsonValue][] => {
      const way = left.get(id);
      return way && !edgesOf(id).some(({ sourceHandle }) => sourceHandle === way.handle) ? [[id, way.output]] : [];
    });
    const hasSingleEnd = inside.filter(({ id }) => edgesOf(id).length === 0).length === 1;
    if (hasSingleEnd && ends.length === 1) return ends[0]?.[1] ?? null;
    return ends.length === 0 ? null : Object.fromEntries(ends);
  }

  function runNode(node: NodeDefinition, iteration: string, input: JsonValue, taken: JsonValue) {
    const key = `${node.id}/${iteration}`;
    const succeed = (output: JsonValue, handle?: string) => {
      runs.set(key, { status: 'success', output });
      return { output, handle };
    };
    // A disabled node passes its input on. One that chooses among outputs then takes none.
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
      case 'try': {
        const outer = { fatal, wrong };
        fatal = new Set();
        wrong = [];
        const output = runRegion(node.id, iteration, input);
        const inside = { fatal, wrong };
        ({ fatal, wrong } = outer);
        const seen = observed.get(key);
        if (inside.fatal.size === 0) {
          wrong.push(...inside.wrong);
          return succeed(output, 'success');
        }
        // Which of them failed first, the run decides; and what else of the body has run by then.
        const failed = seen?.output !== undefined && isJsonObject(seen.output) ? seen.output.error : undefined;
        const nodeId = failed !== undefined && isJsonObject(failed) ? failed.nodeId : undefined;
        if (seen && (seen.handle !== 'error' || typeof nodeId !== 'string' || !inside.fatal.has(nodeId)))
          wrong.push(`${key} returned ${JSON.stringify(seen.output)}`);
        cancelledBodies.push({ body: bodies.get(node.id) ?? new Set(), iteration });
        return succeed(seen?.output ?? null, 'error');
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

  /** @param outputs of the incoming edges; undefined for those that are not taken. */
  function join(
    node: NodeDefinition,
    key: string,
    outputs: readonly (JsonValue | undefined)[],
    inside: readonly NodeDefinition[],
  ) {
    const { mode, count, cancelRest } = node.parameters ?? {};
    const needed = mode === 'count' ? Number(count) : 1;
    const came = outputs.filter((output) => output !== undefined);
    if (came.length < needed) {
      runs.set(key, { status: 'failed', output: undefined });
      fatal.add(node.id);
      return undefined;
    }
    const seen = observed.get(key);
    const first = came.slice(0, needed);
    let output: JsonValue = mode === 'any' ? (first[0] ?? null) : first;
    if (cancelRest === true) {
      const exclusive = exclusiveOf(node.id, inside);
      const { taken = [], cancelled = [] } = seen?.decision ?? {};
      const inputs = taken.map((index) => outputs[index]);
      if (taken.length !== needed || new Set(taken).size !== needed || inputs.includes(undefined))
        wrong.push(`${key} took ${taken.join()}`);
      if (!cancelled.every((id) => exclusive.has(id))) wrong.push(`${key} cancelled ${cancelled.join()}`);
      const list = inputs.map((input) => input ?? null);
      if (seen?.decision) output = mode === 'any' ? (list[0] ?? null) : list;
    } else if (seen) {
      const possible = new Set(came.map((each) => JSON.stringify(each)));
      const chosen = mode === 'any' ? [seen.output] : Array.isArray(seen.output) ? seen.output : [];
      if (chosen.length !== needed || !chosen.every((each) => possible.has(JSON.stringify(each))))
        wrong.push(`${key} returned ${JSON.stringify(seen.output)}`);
      output = seen.output ?? null;
    }
    runs.set(key, { status: 'success', output });
    return { output, handle: undefined };
  }

  /** Finds the nodes of a region from which every path leads to a node. */
  function exclusiveOf(id: string, inside: readonly NodeDefinition[]): Set<string> {
    const ids = new Set(inside.map((node) => node.id));
    const leadsOnlyThere = (from: string): boolean => {
      const targets = definition.edges.filter(({ source, target }) => source === from && ids.has(target));
      return targets.length > 0 && targets.every(({ target }) => target === id || leadsOnlyThere(target));
    };
    return new Set([...ids].filter((other) => other !== id && leadsOnlyThere(other)));
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

/** Returns what early joins and try nodes decided, from the records of a run. */
export function observe(records: ReadonlyMap<string, NodeRecord>): Map<string, Observed> {
  return new Map(
    [...records].map(([key, { output, handle, state }]) => {
      const join = state !== undefined && isJsonObject(state) ? state.join : undefined;
      const { taken, cancelled } = join !== undefined && isJsonObject(join) ? join : {};
      const isDecided = Array.isArray(taken) && Array.isArray(cancelled);
      const decision = isDecided ? { taken: taken.map(Number), cancelled: cancelled.map(String) } : undefined;
      return [key, { output, handle, decision }];
    }),
  );
}

/**
 * Returns the records of a run that succeeded and the reference, both as objects that have to be equal. A node that one
 * iteration skips is not recorded, because the next may run it. In a cancelled body, nothing may be left unfinished.
 */
export function compare(
  records: ReadonlyMap<string, NodeRecord>,
  { runs, wrong, isInCancelledBody }: Reference,
): { readonly actual: object; readonly expected: object } {
  const actual = [...records].flatMap(([key, { status, output }]) => {
    if (isInCancelledBody(key))
      return ['pending', 'running', 'waiting'].includes(status) ? [[key, { status, output }] as const] : [];
    const isCancelled = runs.get(key)?.status === 'cancelled' && (status === 'stopped' || status === 'skipped');
    return [[key, { status: isCancelled ? 'cancelled' : status, output }] as const];
  });
  const expected = [...runs].filter(
    ([key, { status }]) =>
      !isInCancelledBody(key) && ((status !== 'skipped' && status !== 'cancelled') || records.has(key)),
  );
  return {
    actual: { wrong, ...Object.fromEntries(actual) },
    expected: { wrong: [], ...Object.fromEntries(expected) },
  };
}

function isEarly({ type, parameters }: NodeDefinition): boolean {
  return type === 'merge' && (parameters?.mode === 'any' || parameters?.mode === 'count');
}

function isContainer({ type }: NodeDefinition): boolean {
  return type === 'loop' || type === 'try';
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

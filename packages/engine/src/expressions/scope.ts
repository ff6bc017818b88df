import type { JsonObject, JsonValue } from '@deckhand/contracts';

/**
 * The values of the names in an expression. Each is read only when an expression uses it, so members may be getters and
 * creating a scope costs nothing. `now` is read once per evaluation, so that all of it sees the same time.
 */
export interface ExpressionScope {
  /** `$trigger`: the run's trigger data. */
  readonly trigger: JsonValue | undefined;
  /** `$input`: the output of the previous node, or an object by node id if there are several. */
  readonly input: JsonValue | undefined;
  /** `$nodes.<id>.output`; `undefined` for a node without output. */
  readonly node: (id: string) => JsonValue | undefined;
  /** `$loop`; absent outside of a loop. */
  readonly loop?: LoopScope | undefined;
  /** `$response`: the response to a node's request, in the parameter that it evaluates afterwards; absent elsewhere. */
  readonly response?: JsonValue | undefined;
  /**
   * `$links.<id>`: the address where a node's question is answered without a session; undefined for a node without one.
   * Absent where no addresses are known.
   */
  readonly link?: ((nodeId: string) => string | undefined) | undefined;
  /** `$vars`: the workspace's variables by name. */
  readonly vars: JsonObject;
  /** `$execution.id` and `$execution.mode`. */
  readonly execution: { readonly id: string; readonly mode: string };
  /** `$now`: the current time, ISO 8601 in UTC with milliseconds. */
  readonly now: () => string;
}

/** `$loop`. */
export interface LoopScope {
  readonly item: JsonValue;
  /** From 0. */
  readonly index: number;
  /** The output of the iteration before; null in the first. Only in loops with a condition. */
  readonly previous?: JsonValue;
}

/** Names whose use is reported, in addition to nodes; `$loop.previous` in addition to `$loop`. */
export type ExpressionName =
  '$trigger' | '$input' | '$loop' | '$loop.previous' | '$response' | '$links' | '$vars' | '$execution' | '$now';

/** The data that an expression may read, known when it is compiled. */
export interface ExpressionReferences {
  /** The ids of the nodes whose output it reads, each once, in the order of the source. */
  readonly nodes: readonly string[];
  /** The ids of the nodes whose link it reads; absent if it reads none by its id. */
  readonly links?: readonly string[];
  /** The formats of dates that it has as literals; absent if it has none. */
  readonly formats?: readonly string[];
  /** Other names that it uses. */
  readonly names: ReadonlySet<ExpressionName>;
}

/** Returns what several expressions read: each node once, in the order of its first use. */
export function mergeReferences(all: Iterable<ExpressionReferences>): ExpressionReferences {
  const nodes = new Set<string>();
  const links = new Set<string>();
  const formats = new Set<string>();
  const names = new Set<ExpressionName>();
  for (const each of all) {
    for (const id of each.nodes) nodes.add(id);
    for (const id of each.links ?? []) links.add(id);
    for (const format of each.formats ?? []) formats.add(format);
    for (const name of each.names) names.add(name);
  }
  return referencesOf({ nodes, links, formats, names });
}

/** Returns collected references. Members that most expressions do not need are absent if they are empty. */
export function referencesOf({
  nodes,
  links,
  formats,
  names,
}: Readonly<Record<'nodes' | 'links' | 'formats', ReadonlySet<string>>> & {
  readonly names: ReadonlySet<ExpressionName>;
}): ExpressionReferences {
  return {
    nodes: [...nodes],
    names,
    ...(links.size > 0 && { links: [...links] }),
    ...(formats.size > 0 && { formats: [...formats] }),
  };
}

/** No references. */
export const noReferences: ExpressionReferences = { nodes: [], names: new Set() };

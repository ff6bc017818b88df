import type { JsonObject, JsonValue } from '@deckhand/contracts';

/**
 * What the names of an expression stand for. Every member is read when an expression asks for it and not before, so
 * members may be getters and building a scope costs nothing. `$now` and the others are read at most as often as they
 * are named; `now` is asked once an evaluation, so that all of it sees the same moment.
 */
export interface ExpressionScope {
  /** `$trigger`: the run's trigger data. */
  readonly trigger: JsonValue | undefined;
  /** `$input`: the output of the node before, or an object by node id where there are several. */
  readonly input: JsonValue | undefined;
  /** `$nodes.<id>.output`; `undefined` for a node that has none. */
  readonly node: (id: string) => JsonValue | undefined;
  /** `$loop.item` and `$loop.index` (from 0); absent outside of a loop. */
  readonly loop?: { readonly item: JsonValue; readonly index: number } | undefined;
  /** `$vars`: the workspace's variables by name. */
  readonly vars: JsonObject;
  /** `$execution.id` and `$execution.mode`. */
  readonly execution: { readonly id: string; readonly mode: string };
  /** `$now`: the present moment, ISO 8601 in UTC with milliseconds. */
  readonly now: () => string;
}

/** The names whose use an expression reports, beside the nodes it reads. */
export type ExpressionName = '$trigger' | '$input' | '$loop' | '$vars' | '$execution' | '$now';

/** The data that an expression can ask for, known when it is compiled. */
export interface ExpressionReferences {
  /** The ids of the nodes whose output it reads, each once, in the order of the source. */
  readonly nodes: readonly string[];
  /** The other names that it uses. */
  readonly names: ReadonlySet<ExpressionName>;
}

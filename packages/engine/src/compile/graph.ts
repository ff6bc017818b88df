import type { Definition, ValidationIssue, JsonValue, NodeDefinition, RetrySettings } from '@deckhand/contracts';
import type { ExpressionReferences, ExpressionScope } from '../expressions/index.ts';
import type { NodeType } from '../node-type.ts';
import type { SourceReferences } from '../script.ts';

/** An edge between compiled nodes. `handle` is undefined for a source with a single output. */
export interface GraphEdge {
  readonly source: GraphNode;
  readonly target: GraphNode;
  readonly handle: string | undefined;
}

/**
 * The nodes that start and settle together: the whole workflow, or the body of one container. No edge leaves a region,
 * and the only edges into the region of a container start at its `body` handle.
 */
export interface Region {
  /** The loop or try whose body this is; undefined for the workflow itself. */
  readonly container: GraphNode | undefined;
  /** Whether it is the body of a try, which catches failures, and has no iterations of its own. */
  readonly catches: boolean;
  readonly nodes: readonly GraphNode[];
  /**
   * Nodes that may be finished without taking an edge: the outputs of those that are, are that of an iteration, or of
   * a try.
   */
  readonly ends: readonly GraphNode[];
  /** Whether one node only has no edge at all: the output is that of a lone end itself then. */
  readonly hasSingleEnd: boolean;
  /**
   * For the body of an agent: a node of the engine's own, whose runs are the steps of the agent. Where the model is
   * asked, no other node runs; where a tool is called, its record has what the model is told.
   */
  readonly steps: GraphNode | undefined;
  /** For the body of an agent: another such node, which asks a person about a call before the tool runs. */
  readonly approval: GraphNode | undefined;
  /** Nodes whose early join cancels what only leads to them. */
  readonly cancelling: readonly GraphNode[];
}

/** A node's early join: it starts once so many incoming edges are taken. */
export interface GraphJoin {
  readonly count: number;
  /** Nodes of its region that lead to it and to nothing else, cancelled as it starts; undefined if it cancels none. */
  readonly cancels: readonly GraphNode[] | undefined;
}

/** A node of a compiled workflow. */
export interface GraphNode {
  readonly id: string;
  readonly definition: NodeDefinition;
  readonly type: NodeType;
  readonly incoming: readonly GraphEdge[];
  readonly outgoing: readonly GraphEdge[];
  /** Whether all incoming edges start at one node: then `$input` is that node's output itself. */
  readonly hasSingleSource: boolean;
  readonly region: Region;
  /** Its index in `region.nodes`. */
  readonly slot: number;
  /** For a container: the region it repeats, or whose failures it catches. */
  readonly body: Region | undefined;
  /** Its outputs; empty for a single one without a name. */
  readonly handles: ReadonlySet<string>;
  /** Undefined for a node that waits for all edges. */
  readonly join: GraphJoin | undefined;
  /** Whether the early join of another node, or a try, may cancel it. */
  readonly isCancellable: boolean;
  readonly retry: Required<RetrySettings> | undefined;
  /** In ms; undefined means no limit of its own. */
  readonly timeoutMs: number | undefined;
  /** All data of the run that it reads, by its expressions and its source. */
  readonly references: ExpressionReferences;
  /** The data of the run that its source reads, for a type with a source. */
  readonly source: SourceReferences | undefined;
  /** Evaluates its parameters. @throws ExpressionError. */
  readonly evaluate: (scope: ExpressionScope) => JsonValue;
  /** Evaluates its deferred parameter; undefined if the definition has none. @throws ExpressionError. */
  readonly evaluateDeferred: ((scope: ExpressionScope) => JsonValue) | undefined;
}

/** A trigger that a run may start from. */
export interface GraphTrigger {
  readonly nodeId: string;
  readonly type: string;
}

/** A version's definition, compiled once and shared by all of its runs. Never changes. */
export interface CompiledWorkflow {
  readonly definition: Definition;
  /** How long a run may take, in ms. */
  readonly timeoutMs: number;
  /**
   * Whether the limit is the default one, which counts only time in which a worker holds the run; a limit that an
   * author set counts from acceptance.
   */
  readonly countsHeldTime: boolean;
  /** Triggers that a run may start from; the default first. */
  readonly triggers: readonly GraphTrigger[];
  /** Whether its runs may hold locks, which are given to others at their end. */
  readonly usesLocks: boolean;
  /** Whether any expression reads `$vars`. */
  readonly usesVars: boolean;
  readonly nodes: ReadonlyMap<string, GraphNode>;
  readonly root: Region;
}

/** A compiled workflow, or every issue of the definition. */
export type CompileResult = { readonly workflow: CompiledWorkflow } | { readonly issues: readonly ValidationIssue[] };

import type { CompiledWorkflow, GraphNode } from '../compile/graph.ts';
import type { NodeWarning } from '../node-type.ts';

/** Maximum number of warnings about a definition, without the one that says that there are more. */
export const MAX_WARNINGS = 100;

/** Number of findings in one node after which a rule stops: more are never listed. */
export const ENOUGH_FINDINGS = MAX_WARNINGS + 1;

/** What a rule finds in a node. The path is relative to the node; "" is the node itself. */
export type Finding = NodeWarning;

/**
 * A rule about nodes of a valid definition. It prepares what it needs of the whole workflow, in time proportional to
 * it, and returns a function that checks one node. It finds too little rather than too much.
 */
export type Rule = (workflow: CompiledWorkflow) => (node: GraphNode) => readonly Finding[];

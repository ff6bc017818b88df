import type { JsonValue } from '@deckhand/contracts';
import type { NodeContext } from './node-context.ts';
import type { NodeFailure } from './node-failure.ts';
import type { Outcome } from './outcome.ts';

/** A tool of an agent: a node to which its output `body` leads. */
export interface AgentTool {
  readonly nodeId: string;
  /** What people call it: its name, or the title of its type. */
  readonly title: string;
  /** What nodes of its type do. */
  readonly description: string;
}

/** A call of a tool that a model asked for. */
export interface AgentCall {
  readonly nodeId: string;
  /** Its arguments: the input of the tool. */
  readonly input: JsonValue;
}

/** An answer of the model, and what it is told of each call that it asked for, in their order. */
export interface AgentTurn {
  readonly answer: JsonValue;
  readonly results: readonly JsonValue[];
}

/** How a call of a tool ended. */
export type CallEnd =
  | { readonly kind: 'output'; readonly output: JsonValue }
  | { readonly kind: 'failure'; readonly failure: Pick<NodeFailure, 'code' | 'message'> };

/**
 * What a node type says about its steps. Answers and results of calls are stored in the records of steps, from which a
 * run resumes: what follows from them is a function of them alone.
 */
export interface AgentSteps {
  /** Asks the model, and returns its answer as an output. @throws NodeError */
  readonly ask: (parameters: JsonValue, context: NodeContext) => Outcome | Promise<Outcome>;
  /** Returns the calls that an answer asks for; undefined if it was the last one. */
  readonly callsOf: (answer: JsonValue) => readonly AgentCall[] | undefined;
  /** Returns what the model is told of a call. */
  readonly tell: (end: CallEnd) => JsonValue;
  /** Returns the output of the node. The last turn has no calls. */
  readonly outputOf: (turns: readonly AgentTurn[]) => JsonValue;
}

/** What the steps of an agent see of it. */
export interface AgentContext {
  readonly tools: readonly AgentTool[];
  /** What was said so far. */
  readonly turns: readonly AgentTurn[];
}

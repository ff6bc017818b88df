import type { JsonValue } from '@deckhand/contracts';
import type { NodeFailure } from './node-failure.ts';

/** A tool of an agent: a node to which its output `body` leads. */
export interface AgentTool {
  readonly nodeId: string;
  /** What people call it: its name, or the title of its type. */
  readonly title: string;
  /** What nodes of its type do. */
  readonly description: string;
  /** A disabled one is not offered to the model. */
  readonly isDisabled: boolean;
  /** Whether one of its nodes has effects outside. */
  readonly hasEffects: boolean;
}

/** A call of a tool that a model asked for. */
export interface AgentCall {
  readonly nodeId: string;
  /** Its arguments: the input of the tool. */
  readonly input: JsonValue;
  /** Whether a person decides about it before anything of it runs. */
  readonly asks: boolean;
}

/** An answer of the model, and what it is told of each call that it asked for, in their order. */
export interface AgentTurn {
  readonly answer: JsonValue;
  readonly results: readonly JsonValue[];
}

/** How a call of a tool ended. */
export type CallEnd =
  | { readonly kind: 'output'; readonly output: JsonValue }
  /** A person decided against it. @param decision the output of the question. */
  | { readonly kind: 'refusal'; readonly decision: JsonValue }
  | { readonly kind: 'failure'; readonly failure: Pick<NodeFailure, 'code' | 'message'> };

/** What the steps of an agent see of it. */
export interface AgentContext {
  /** The agent in its run: the same in all of its steps. */
  readonly place: string;
  readonly tools: readonly AgentTool[];
  /** What was said so far. */
  readonly turns: readonly AgentTurn[];
  /** Whether its parameters contain data of the run, which the author of the workflow did not write. */
  readonly readsData: boolean;
  /** For a question: the call that it is about. */
  readonly call: AgentCall | undefined;
}

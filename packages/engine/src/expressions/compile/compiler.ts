import type { Expression, Node } from 'acorn';
import type { Run } from '../run.js';
import type { ExpressionName } from '../scope.js';
import type { Value } from '../value.js';

/** A node of the syntax, compiled: gives its value in a run. */
export type Evaluate = (run: Run) => Value;

/** What the compilers of the single kinds of syntax share. They call each other through `compile` only. */
export interface Compiler {
  /** The text that the positions of nodes refer to; it begins with the expression. */
  readonly source: string;
  readonly compile: (node: Expression) => Evaluate;
  /** Arrow parameters in sight, with the slot that holds each in `run.locals`. */
  locals: ReadonlyMap<string, number>;
  /** The next free slot. */
  slot: number;
  /** Nodes compiled since the expression or the arrow function around them began: the steps of evaluating them once. */
  cost: number;
  /** How deeply the node being compiled is nested. */
  depth: number;
  readonly nodes: Set<string>;
  readonly names: Set<ExpressionName>;
}

/**
 * A place in a source that is not part of the language. Thrown while compiling only, and caught where compiling began.
 */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** Ends compiling with an issue at `node`. */
export function refuse(node: Pick<Node, 'start'>, message: string): never {
  throw new SourceError(message, node.start);
}

/**
 * What stands for the value of `a?.b` where `a` is null or undefined, until the end of the chain: the links that follow
 * (`a?.b.c`) pass it on instead of reading from it. Never leaves a chain.
 */
export const skipped: Value = Object.freeze({});

/** The text of a node for a message, cut when it is long. */
export function excerptOf(compiler: Compiler, node: Pick<Node, 'start' | 'end'>): string {
  const text = compiler.source.slice(node.start, node.end).replace(/\s+/g, ' ');
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

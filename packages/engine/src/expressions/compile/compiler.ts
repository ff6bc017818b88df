import type { Expression, Node } from 'acorn';
import type { Run } from '../run.ts';
import type { ExpressionName } from '../scope.ts';
import type { Value } from '../value.ts';

/** A compiled syntax node: returns its value in a run. */
export type Evaluate = (run: Run) => Value;

/**
 * The functions and state that the compilers of all kinds of syntax share. They call each other through `compile` only.
 */
export interface Compiler {
  /** The text that the positions of syntax nodes refer to. It begins with the expression. */
  readonly source: string;
  readonly compile: (node: Expression) => Evaluate;
  /** Visible arrow parameters, with their slots in `run.locals`. */
  locals: ReadonlyMap<string, number>;
  /** The next free slot. */
  slot: number;
  /**
   * Number of nodes compiled since the expression or the enclosing arrow function began: the steps of one evaluation.
   */
  cost: number;
  /** Nesting depth of the node being compiled. */
  depth: number;
  readonly nodes: Set<string>;
  readonly links: Set<string>;
  readonly names: Set<ExpressionName>;
}

/** A part of a source that the language does not support. Thrown and caught within compiling. */
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
 * The value of `a?.b` where `a` is null or undefined, until the end of the chain: the links that follow (`a?.b.c`)
 * return it instead of reading from it. Never leaves a chain.
 */
export const skipped: Value = Object.freeze({});

/** Returns the text of a node for a message, cut when it is long. */
export function excerptOf(compiler: Compiler, node: Pick<Node, 'start' | 'end'>): string {
  const text = compiler.source.slice(node.start, node.end).replace(/\s+/g, ' ');
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

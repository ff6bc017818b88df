import type { Expression, MemberExpression, Node } from 'acorn';
import { compilePattern, isPatternIssue, type Pattern } from '../pattern.ts';
import { isForbiddenKey, type Value } from '../value.ts';
import type { Run } from '../run.ts';
import type { ExpressionName } from '../scope.ts';

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
  readonly formats: Set<string>;
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

/**
 * Returns the name that a member access reads if it is in the source (`a.b`, `a["b"]`, `a[0]`), otherwise undefined.
 * Refuses forbidden names.
 */
export function staticKey(node: MemberExpression): string | undefined {
  const { property } = node;
  if (property.type === 'PrivateIdentifier') return refuse(property, 'private names are not part of the language');
  const key = nameOf(node);
  if (key !== undefined && isForbiddenKey(key)) refuse(property, `the property "${key}" cannot be read`);
  return key;
}

function nameOf({ computed, property }: MemberExpression): string | undefined {
  if (!computed) return property.type === 'Identifier' ? property.name : undefined;
  if (property.type === 'TemplateLiteral' && property.expressions.length === 0) {
    return property.quasis[0]?.value.cooked ?? undefined;
  }
  const isName =
    property.type === 'Literal' && (typeof property.value === 'string' || typeof property.value === 'number');
  return isName ? String(property.value) : undefined;
}

/** Compiles a regular expression literal. Syntax that re2js does not support is an issue. */
export function compileRegExp(
  node: Pick<Node, 'start'>,
  regex: { readonly pattern: string; readonly flags: string },
): Pattern {
  const pattern = compilePattern(regex.pattern, regex.flags);
  return isPatternIssue(pattern) ? refuse(node, pattern.message) : pattern;
}

import type { Node } from 'acorn';
import { compilePattern, isPatternIssue, type Pattern } from '../pattern.ts';
import { refuse } from './compiler.ts';

/** Compiles a regular expression literal. Syntax that re2js does not support is an issue. */
export function compileRegExp(
  node: Pick<Node, 'start'>,
  regex: { readonly pattern: string; readonly flags: string },
): Pattern {
  const pattern = compilePattern(regex.pattern, regex.flags);
  return isPatternIssue(pattern) ? refuse(node, pattern.message) : pattern;
}

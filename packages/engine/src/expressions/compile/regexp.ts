import type { Node } from 'acorn';
import { compilePattern, isPatternIssue, type Pattern } from '../pattern.js';
import { refuse } from './compiler.js';

/** Compiles a regular expression literal. What re2js does not know is an issue of the source. */
export function compileRegExp(
  node: Pick<Node, 'start'>,
  regex: { readonly pattern: string; readonly flags: string },
): Pattern {
  const pattern = compilePattern(regex.pattern, regex.flags);
  return isPatternIssue(pattern) ? refuse(node, pattern.message) : pattern;
}

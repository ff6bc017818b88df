import { compilePart, isIssue, skipGap, type ExpressionIssue } from './compile-source.ts';
import { toResult, withBudget, type EvaluateJson } from './evaluate.ts';
import type { ExpressionReferences } from './scope.ts';

/** A compiled expression. It may be evaluated any number of times and concurrently. */
export interface CompiledExpression {
  readonly evaluate: EvaluateJson;
  readonly references: ExpressionReferences;
}

/**
 * Compiles one expression, without braces around it: `$trigger.amount > 100`. Returns an issue, never throws. For texts
 * with expressions, see `compileTemplate` and `compileParameters`.
 */
export function compileExpression(
  source: string,
): { readonly expression: CompiledExpression } | { readonly issue: ExpressionIssue } {
  const part = compilePart(source, 0);
  if (isIssue(part)) return { issue: part };
  const rest = skipGap(source, part.end);
  if (rest < source.length) return { issue: { message: 'the expression ends before this', offset: rest } };
  const site = { subject: 'expression', path: [], source };
  return {
    expression: {
      evaluate: withBudget(site, (run) => toResult(run, part.evaluate(run))),
      references: part.references,
    },
  };
}

import { toExpressionError, type Site } from './error.ts';
import { settle } from './result.ts';
import { startRun, type Run } from './run.ts';
import type { JsonValue } from '@deckhand/contracts';
import type { ExpressionLimits } from './limits.ts';
import type { ExpressionScope } from './scope.ts';
import type { Value } from './value.ts';

/**
 * Evaluates against a scope. The result is plain JSON that may share structure with its inputs; neither is ever
 * changed. Budgets are those of `limits`, or the defaults. @throws ExpressionError
 */
export type EvaluateJson = (scope: ExpressionScope, limits?: Partial<ExpressionLimits>) => JsonValue;

/** Adds budgets and error handling to compiled code. `site` is its place, until a template names another. */
export function withBudget(site: Site, evaluate: (run: Run) => JsonValue): EvaluateJson {
  return (scope, limits) => {
    const run = startRun(scope, limits, site);
    try {
      return evaluate(run);
    } catch (error) {
      throw toExpressionError(error, run.site, run.base + run.at);
    }
  };
}

/** Returns a value as JSON, and charges it to the results of the run. */
export function toResult(run: Run, value: Value): JsonValue {
  if (typeof value === 'boolean') return value;
  const { json, bytes } = settle(value, run.resultBytesLeft);
  run.resultBytesLeft -= bytes;
  return json;
}

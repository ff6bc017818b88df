import type { JsonValue } from '@deckhand/contracts';
import { exceed, type Site, toExpressionError } from './error.ts';
import { defaultLimits, type ExpressionLimits } from './limits.ts';
import type { ExpressionScope } from './scope.ts';
import type { Value } from './value.ts';

/** The state of one evaluation. Shared by all templates of a node's parameters, so that they share one budget. */
export interface Run {
  readonly scope: ExpressionScope;
  /** Values of arrow parameters, by slot. */
  readonly locals: Value[];
  stepsLeft: number;
  bytesLeft: number;
  resultBytesLeft: number;
  /** `$now`, once it was read. */
  now: string | undefined;
  /** The parameter that is being evaluated, for errors. */
  site: Site;
  /** Where the expression being evaluated begins in the site's source, for errors. */
  base: number;
  /** The position within that expression, for errors. */
  at: number;
}

/** Starts an evaluation with full budgets. */
export function startRun(scope: ExpressionScope, limits: Partial<ExpressionLimits> | undefined, site: Site): Run {
  return {
    scope,
    locals: [],
    stepsLeft: limits?.steps ?? defaultLimits.steps,
    bytesLeft: limits?.producedBytes ?? defaultLimits.producedBytes,
    resultBytesLeft: limits?.resultBytes ?? defaultLimits.resultBytes,
    now: undefined,
    site,
    base: 0,
    at: 0,
  };
}

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

/**
 * Takes `steps` from the budget.
 * @throws EvaluationFailure if it is used up, and for NaN, which would disable the budget.
 */
export function spendSteps(run: Run, steps: number): void {
  run.stepsLeft -= steps;
  if (!(run.stepsLeft >= 0)) exceed('the expression takes too many steps');
}

/**
 * Takes `bytes` from the budget, before they are allocated.
 * @throws EvaluationFailure if it is used up, and for NaN.
 */
export function spendBytes(run: Run, bytes: number): void {
  run.bytesLeft -= bytes;
  if (!(run.bytesLeft >= 0)) exceed('the expression produces too much data');
}

/** Number of characters that are scanned in about the time of one step. */
const charactersPerStep = 1_024;

/** Charges one native scan of `characters` of text; short texts are free. */
export function spendScan(run: Run, characters: number): void {
  if (characters >= charactersPerStep / 4) spendSteps(run, characters / charactersPerStep);
}

/** Charges a search for `needle` in `text` by `indexOfText`, which takes longer per character than other scans. */
export function spendSearch(run: Run, text: string, needle: string): void {
  spendScan(run, needle.length <= 1 ? text.length : text.length * 4 + needle.length);
}

/** Charges a text of `characters` before it is created. */
export function spendText(run: Run, characters: number): void {
  spendBytes(run, characters);
  spendScan(run, characters);
}

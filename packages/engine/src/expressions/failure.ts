/** The codes of a failed evaluation. */
export type ExpressionErrorCode = 'EXPRESSION_FAILED' | 'EXPRESSION_BUDGET';

/**
 * A failure inside an evaluation whose parameter is not known yet. Never leaves this folder: the boundary converts it
 * to an `ExpressionError`.
 */
export class EvaluationFailure extends Error {
  override readonly name = 'EvaluationFailure';
  readonly code: ExpressionErrorCode;

  constructor(code: ExpressionErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Ends the evaluation because the data does not fit the expression. `message` goes to the author of the workflow. */
export function fail(message: string): never {
  throw new EvaluationFailure('EXPRESSION_FAILED', message);
}

/** Ends the evaluation because a budget is used up. */
export function exceed(message: string): never {
  throw new EvaluationFailure('EXPRESSION_BUDGET', message);
}

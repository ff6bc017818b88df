/** Limits of one evaluation. Exceeding one ends it with the code `EXPRESSION_BUDGET`. */
export interface ExpressionLimits {
  /** Steps of work: each syntax node and each element that a method visits is one; long scans cost more. */
  readonly steps: number;
  /**
   * Bytes of text, arrays and objects that the expression creates, including temporary ones. A character counts as one.
   */
  readonly producedBytes: number;
  /** Bytes of the results as JSON, including data shared with the inputs. */
  readonly resultBytes: number;
}

/** Default limits: usually a few milliseconds of work, about 200 ms in the worst case. */
export const defaultLimits: ExpressionLimits = Object.freeze({
  steps: 100_000,
  producedBytes: 8 * 1024 * 1024,
  resultBytes: 64 * 1024 * 1024,
});

/** The longest source of one expression, in characters. */
export const sourceLengthMax = 10_000;

/** Maximum nesting of the syntax of one expression: it bounds the stack that compiling and evaluating need. */
export const syntaxDepthMax = 250;

/** Maximum nesting of data that is walked (in results, `join`, `flat`, JSON): it bounds the stack of the walk. */
export const dataDepthMax = 1_000;

/** Cost of an array or object without its elements, in bytes. */
export const containerBytes = 32;

/** Cost of one element of an array, in bytes. */
export const elementBytes = 8;

/** Cost of one member of an object, in bytes. */
export const memberBytes = 16;

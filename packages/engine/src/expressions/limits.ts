/** What one evaluation may use. A value above a limit ends it with the code `EXPRESSION_BUDGET`. */
export interface ExpressionLimits {
  /** Steps of work: every node of the syntax and every element that a method visits is one; long scans cost more. */
  readonly steps: number;
  /**
   * Bytes of text, arrays and objects that the expression makes, also those it throws away. A character counts as one.
   */
  readonly producedBytes: number;
  /** Bytes of the results written out as JSON, with everything that they share with their inputs. */
  readonly resultBytes: number;
}

/**
 * The limits of an evaluation that names none: a few milliseconds of work as a rule, about 200 ms at the very worst.
 */
export const defaultLimits: ExpressionLimits = Object.freeze({
  steps: 100_000,
  producedBytes: 8 * 1024 * 1024,
  resultBytes: 64 * 1024 * 1024,
});

/** The longest source of one expression, in characters. */
export const sourceLengthMax = 10_000;

/** How deeply the syntax of one expression may nest: it bounds the stack that compiling and evaluating need. */
export const syntaxDepthMax = 250;

/** How deeply data may nest where it is walked (in results, `join`, `flat`, JSON): it bounds the stack of the walk. */
export const dataDepthMax = 1_000;

/** What an array or object costs beside its elements, in bytes. */
export const containerBytes = 32;

/** What one element of an array costs, in bytes. */
export const elementBytes = 8;

/** What one member of an object costs, in bytes. */
export const memberBytes = 16;

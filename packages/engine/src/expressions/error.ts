/** The codes of a failed evaluation. */
export type ExpressionErrorCode = 'EXPRESSION_FAILED' | 'EXPRESSION_BUDGET';

/**
 * A failure inside an evaluation whose parameter is not known yet. Never leaves this folder: the boundary converts it
 * to an `ExpressionError`.
 */
class EvaluationFailure extends Error {
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

/** The place of a template: its name in messages, its keys below the parameters, and its whole text. */
export interface Site {
  readonly subject: string;
  readonly path: readonly (string | number)[];
  readonly source: string;
}

const excerptLengthMax = 120;

/**
 * An expression failed while it was evaluated. The message names the parameter and the position and never quotes data,
 * so it may be shown and logged. It is not retried: the same data fails again.
 */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  /** `EXPRESSION_FAILED`: the data does not fit. `EXPRESSION_BUDGET`: too many steps or bytes. */
  readonly code: ExpressionErrorCode;
  /** The message without the position. */
  readonly reason: string;
  /** The keys of the parameter; empty for an expression outside parameters. */
  readonly path: readonly (string | number)[];
  /** Position in `source`, in UTF-16 units from 0. */
  readonly offset: number;
  /** The whole text of the parameter. */
  readonly source: string;

  constructor(code: ExpressionErrorCode, reason: string, site: Site, offset: number, cause?: unknown) {
    super(`${site.subject}: ${reason} (at character ${offset + 1} of ${excerpt(site.source, offset)})`, { cause });
    this.code = code;
    this.reason = reason;
    this.path = site.path;
    this.offset = offset;
    this.source = site.source;
  }
}

function excerpt(source: string, offset: number): string {
  if (source.length <= excerptLengthMax) return JSON.stringify(source);
  const start = Math.min(Math.max(0, offset - excerptLengthMax / 2), source.length - excerptLengthMax);
  const end = start + excerptLengthMax;
  return `${start > 0 ? '...' : ''}${JSON.stringify(source.slice(start, end))}${end < source.length ? '...' : ''}`;
}

/** Converts what an evaluation threw into an `ExpressionError`. Unknown errors become its `cause`. */
export function toExpressionError(thrown: unknown, site: Site, offset: number): ExpressionError {
  if (thrown instanceof EvaluationFailure) {
    return new ExpressionError(thrown.code, thrown.message, site, offset);
  }
  // The JavaScript engine's stack or longest string was exceeded: possible only with limits far above the defaults.
  if (thrown instanceof RangeError) {
    return new ExpressionError('EXPRESSION_BUDGET', 'the data is too large or too deep', site, offset, thrown);
  }
  return new ExpressionError('EXPRESSION_FAILED', 'the expression could not be evaluated', site, offset, thrown);
}

/** Renders the keys of a parameter as people write them: `parameters.cases[0].equals`. */
export function renderPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, key) => text + renderKey(key), 'parameters');
}

function renderKey(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

import { type Expression, type Options, parseExpressionAt } from 'acorn';
import { SourceError } from './compile/compiler.ts';
import { compileSyntax } from './compile/expression.ts';
import { sourceLengthMax } from './limits.ts';
import { toResult, type EvaluateJson, type Run, spendSteps, withBudget } from './run.ts';
import type { ExpressionReferences } from './scope.ts';
import type { Value } from './value.ts';

/** Why a text is not an expression of the language, and where. */
export interface ExpressionIssue {
  readonly message: string;
  /** Position in the text that was compiled, in UTF-16 units from 0. */
  readonly offset: number;
}

/** A compiled expression within a text. */
export interface CompiledPart {
  /** Evaluates the expression. Charges the steps of its own nodes first. */
  readonly evaluate: (run: Run) => Value;
  readonly references: ExpressionReferences;
  /** Position after the expression in the text. */
  readonly end: number;
}

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

/**
 * Compiles the expression that begins at `start` of `text`. Returns an issue for anything that the language does not
 * have.
 */
export function compilePart(text: string, start: number): CompiledPart | ExpressionIssue {
  const source = text.slice(start);
  try {
    const syntax = parseExpression(source);
    const { evaluate, cost, references } = compileSyntax(source, syntax);
    return {
      evaluate: (run) => {
        run.base = start;
        run.at = 0;
        spendSteps(run, cost);
        return evaluate(run);
      },
      references,
      end: start + syntax.end,
    };
  } catch (error) {
    if (error instanceof SourceError) return { message: error.message, offset: start + error.offset };
    throw error;
  }
}

/** Returns whether the result of compiling is an issue. */
export function isIssue(result: object): result is ExpressionIssue {
  return 'offset' in result && 'message' in result;
}

const gap = /(?:\s|\/\*[^]*?\*\/)*/y;

/** Returns the position after the white space and comments that begin at `start`. */
export function skipGap(text: string, start: number): number {
  gap.lastIndex = start;
  gap.test(text);
  return gap.lastIndex;
}

// Parentheses are kept as nodes, because acorn otherwise reports that `(a)` ends before its last parenthesis.
const options: Options = { ecmaVersion: 2024, sourceType: 'module', allowHashBang: false, preserveParens: true };

const tooLong = `an expression has at most ${sourceLengthMax} characters`;
const missing = 'an expression, or the rest of one, is missing here';

/**
 * Parses the expression at the start of `text`; the caller checks the rest (`expression.end`). @throws SourceError for
 * what is not a JavaScript expression, and for one longer than `sourceLengthMax`.
 */
function parseExpression(text: string): Expression {
  // The parser gets only a part: a long text may contain many expressions, and would be scanned for each.
  const part = text.slice(0, sourceLengthMax + 1);
  const expression = parsePart(part, part.length < text.length);
  if (expression.end > sourceLengthMax) throw new SourceError(tooLong, 0);
  return expression;
}

function parsePart(part: string, isCut: boolean): Expression {
  try {
    return parseExpressionAt(part, 0, options);
  } catch (error) {
    // The parser is recursive. Deep nesting exceeds its stack, harmlessly, and is reported in one of two ways.
    if (error instanceof RangeError || (error instanceof Error && error.message.includes('stack')))
      throw new SourceError('the expression nests too deeply', 0);
    const offset = positionOf(error);
    const reason = reasonOf(error, part.slice(offset).trimStart());
    // The part was cut, so an unexpected end means that the expression is too long.
    if (isCut && (reason === missing || reason.includes('unterminated'))) throw new SourceError(tooLong, 0);
    throw new SourceError(reason, offset);
  }
}

function positionOf(error: unknown): number {
  return error instanceof SyntaxError && 'pos' in error && typeof error.pos === 'number' ? error.pos : 0;
}

function reasonOf(error: unknown, found: string): string {
  if (found === '' || found.startsWith('}}')) return missing;
  const message = error instanceof Error ? error.message.replace(/ \(\d+:\d+\)$/, '') : 'it cannot be read';
  return `not an expression: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
}

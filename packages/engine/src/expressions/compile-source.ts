import { compileSyntax } from './compile/expression.ts';
import { SourceError } from './compile/compiler.ts';
import { parseExpression } from './parse.ts';
import { spendSteps, type Run } from './run.ts';
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

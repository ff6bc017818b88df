import { parseExpressionAt, type Expression, type Options } from 'acorn';
import { SourceError } from './compile/compiler.ts';
import { sourceLengthMax } from './limits.ts';

// Parentheses are kept as nodes, because acorn otherwise reports that `(a)` ends before its last parenthesis.
const options: Options = { ecmaVersion: 2024, sourceType: 'module', allowHashBang: false, preserveParens: true };

const tooLong = `an expression has at most ${sourceLengthMax} characters`;
const missing = 'an expression, or the rest of one, is missing here';

/**
 * Parses the expression at the start of `text`; the caller checks the rest (`expression.end`). @throws SourceError for
 * what is not a JavaScript expression, and for one longer than `sourceLengthMax`.
 */
export function parseExpression(text: string): Expression {
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

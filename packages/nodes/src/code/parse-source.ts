import { getLineInfo, parse, type Program } from 'acorn';
import { full } from 'acorn-walk';
import { functionText, LINES_BEFORE } from './function-text.ts';

/** An issue of a source, with its position in the message. */
export interface SourceError {
  readonly issue: string;
}

/**
 * Parses the source of a `code` node, as the body of the function that it is run as. Returns the whole function's
 * program, or the first issue with its line and column (from 1). Never throws.
 */
export function parseSource(source: string): { readonly program: Program } | SourceError {
  const text = functionText(source);
  const issueAt = (message: string, offset: number): SourceError => {
    const { line, column } = getLineInfo(text, offset);
    return { issue: `${message} (line ${line - LINES_BEFORE}, column ${column + 1})` };
  };
  try {
    const program = parse(text, { ecmaVersion: 2024, sourceType: 'script' });
    const end = endOfFunction(program);
    if (end < text.length - 1) return issueAt('this closes more than the script opened', end - 1);
    const imported = findImport(program);
    return imported ? issueAt('a script cannot import anything', imported.start) : { program };
  } catch (error) {
    // The parser is recursive: deep nesting ends its stack, harmlessly, and it says so in one way or the other.
    if (error instanceof RangeError || (error instanceof Error && error.message.includes('stack')))
      return { issue: 'the script nests too deeply' };
    if (error instanceof SyntaxError && 'pos' in error && typeof error.pos === 'number') {
      const message = error.message.replace(/ \(\d+:\d+\)$/, '');
      return issueAt(`not JavaScript: ${message.charAt(0).toLowerCase()}${message.slice(1)}`, error.pos);
    }
    throw error;
  }
}

/** The end of the function: before the last but one character if the source closes the function and continues. */
function endOfFunction(program: Program): number {
  const ends: number[] = [];
  full(program, ({ type, start, end }) => {
    // After the parenthesis at the start of the text.
    if (type === 'FunctionExpression' && start === 1) ends.push(end);
  });
  return ends[0] ?? 1;
}

function findImport(program: Program): { readonly start: number } | undefined {
  const found: { readonly start: number }[] = [];
  full(program, (node) => {
    if (node.type === 'ImportExpression') found.push(node);
  });
  return found[0];
}

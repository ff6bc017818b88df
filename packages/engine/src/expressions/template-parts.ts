import { compilePart, isIssue, skipGap, type CompiledPart, type ExpressionIssue } from './compile-source.ts';

/** The parts of a template: texts and expressions, alternating. */
export type TemplateParts = readonly (string | CompiledPart)[];

/** Maximum number of texts and expressions in one template. */
const partsMax = 2_000;

// Backslashes count only right before braces, so that paths such as C:\temp need no escape.
const opening = /(\\*)\{\{/g;

/**
 * Splits a text at its `{{ expression }}`. The end of an expression is found by parsing it, because it may contain
 * braces. Before `{{`, `\` makes the braces text, and `\\` is one backslash.
 */
export function parseTemplate(text: string): TemplateParts | ExpressionIssue {
  const parts: (string | CompiledPart)[] = [];
  let literal = '';
  let position = 0;
  opening.lastIndex = 0;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const backslashes = found[1]?.length ?? 0;
    literal += text.slice(position, found.index) + '\\'.repeat(Math.floor(backslashes / 2));
    position = opening.lastIndex;
    if (backslashes % 2 === 1) {
      literal += '{{';
      continue;
    }
    if (parts.length >= partsMax) return { message: 'the text holds too many expressions', offset: found.index };
    const part = compileBraced(text, position);
    if (isIssue(part)) return part;
    if (literal !== '') parts.push(literal);
    parts.push(part);
    literal = '';
    position = skipGap(text, part.end) + 2;
    opening.lastIndex = position;
  }
  literal += text.slice(position);
  if (literal !== '' || parts.length === 0) parts.push(literal);
  return parts;
}

function compileBraced(text: string, start: number): CompiledPart | ExpressionIssue {
  const part = compilePart(text, start);
  if (isIssue(part)) return part;
  const end = skipGap(text, part.end);
  if (text.startsWith('}}', end)) return part;
  return { message: '"}}" is missing after the expression (to write the braces themselves: \\{{)', offset: end };
}

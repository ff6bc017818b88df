import type { JsonValue } from '@deckhand/contracts';

/** PostgreSQL's own bound (MAXDIM). */
const MAX_DIMENSIONS = 6;
const NULL = 'NULL';

/**
 * Parses an array of PostgreSQL, `{1,NULL,"a \"b\""}`, in one pass: the driver's parser takes quadratic time, and does
 * not end for some texts of hostile servers. @param parse parses an element. @param separator stands between elements.
 * @throws SyntaxError for a text that is not an array.
 */
export function parseArray(text: string, parse: (element: string) => JsonValue, separator = ','): JsonValue[] {
  const outermost: JsonValue[] = [];
  /** The lists that are open, the innermost last. */
  const open: JsonValue[][] = [outermost];
  // Bounds that do not begin at 1, as in `[0:1]={...}`, are left out.
  let at = text.startsWith('[') ? text.indexOf('=') + 1 : 0;
  if (text[at] !== '{') throw new SyntaxError('an array has to begin with {');
  at += 1;
  for (;;) {
    const list = open.at(-1);
    if (!list) break;
    const char = text[at];
    if (char === undefined) throw new SyntaxError('an array does not end');
    if (char === '}') {
      open.pop();
      at += 1;
    } else if (char === separator) {
      at += 1;
    } else if (char === '{') {
      if (open.length >= MAX_DIMENSIONS) throw new SyntaxError('an array has too many dimensions');
      const inner: JsonValue[] = [];
      list.push(inner);
      open.push(inner);
      at += 1;
    } else if (char === '"') {
      const { element, end } = readQuoted(text, at + 1);
      list.push(parse(element));
      at = end;
    } else {
      const end = endOfElement(text, at, separator);
      const element = text.slice(at, end);
      list.push(element === NULL ? null : parse(element));
      at = end;
    }
  }
  if (at !== text.length) throw new SyntaxError('text follows an array');
  return outermost;
}

function endOfElement(text: string, start: number, separator: string): number {
  let at = start;
  while (at < text.length && text[at] !== separator && text[at] !== '}') at += 1;
  return at;
}

/** Reads a quoted element from behind its quote; `end` is behind its closing one. */
function readQuoted(text: string, start: number): { element: string; end: number } {
  let element = '';
  let from = start;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') return { element: element + text.slice(from, at), end: at + 1 };
    if (char !== '\\') continue;
    element += text.slice(from, at);
    at += 1;
    from = at;
  }
  throw new SyntaxError('a quote is not closed');
}

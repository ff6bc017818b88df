import { NodeError } from '@deckhand/engine';
import type { Steps, Work } from '../work/slices.ts';

const QUOTE = 34;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const BYTE_ORDER_MARK = 0xfeff;

/**
 * Reads the rows of comma-separated values (RFC 4180) in one pass. Rows may differ in length, and empty lines are
 * skipped. CRLF, LF and CR each end a line, whatever ended the lines before: files that several programs have written
 * to mix them.
 * @throws NodeError CSV_INVALID for a quote where none may be.
 */
export function* readRows(text: string, delimiter: string, work: Work): Steps<string[][]> {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
  const invalid = (reason: string): NodeError =>
    new NodeError('CSV_INVALID', `${reason} (row ${rows.length + 1})`, { isRetryable: false });

  let isFieldNext = at < text.length;
  while (isFieldNext) {
    const start = at;
    const isQuoted = text.charCodeAt(at) === QUOTE && !text.startsWith(delimiter, at);
    let value: string;
    if (isQuoted) {
      let end = text.indexOf('"', at + 1);
      while (end !== -1 && text.charCodeAt(end + 1) === QUOTE) {
        end = text.indexOf('"', end + 2);
        if (work.spend(1)) yield;
      }
      if (end === -1) throw invalid('a quote is not closed');
      value = text.slice(start + 1, end).replaceAll('""', '"');
      at = end + 1;
    } else {
      while (at < text.length && !text.startsWith(delimiter, at) && !isBreak(text.charCodeAt(at))) {
        if (text.charCodeAt(at) === QUOTE) throw invalid('a value contains a quote but does not begin with one');
        at += 1;
        if ((at & 0xfff) === 0 && work.spend(0x1000)) yield;
      }
      value = text.slice(start, at);
    }
    row.push(value);
    if (text.startsWith(delimiter, at)) {
      at += delimiter.length;
    } else if (at >= text.length || isBreak(text.charCodeAt(at))) {
      if (row.length > 1 || value !== '' || isQuoted) rows.push(row);
      row = [];
      at += text.startsWith('\r\n', at) ? 2 : 1;
      isFieldNext = at < text.length;
    } else {
      throw invalid('a value goes on after its closing quote');
    }
    if (work.spend(2)) yield;
  }
  return rows;
}

function isBreak(code: number): boolean {
  return code === LINE_FEED || code === CARRIAGE_RETURN;
}

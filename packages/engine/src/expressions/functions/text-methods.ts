import { joinTexts, toText } from '../operators.ts';
import { indexOfText } from '../../find-text.ts';
import { fail } from '../error.ts';
import { spendScan, spendSearch, spendText, type Run } from '../run.ts';
import { numberArgument, textArgument, wholeArgument } from './arguments.ts';
import { plain, type PlainMethod } from './definition.ts';
import type { Value } from '../value.ts';

function changeCase(run: Run, text: string, change: (text: string) => string): string {
  spendText(run, text.length);
  const changed = change(text);
  // Some characters become two or three ("ß" to "SS").
  if (changed.length > text.length) spendText(run, changed.length - text.length);
  return changed;
}

function pad(run: Run, text: string, args: readonly Value[], isStart: boolean): string {
  const length = wholeArgument(run, args, 0, 0);
  const filler = args[1] === undefined ? ' ' : textArgument(run, args, 1);
  if (length <= text.length || filler === '') return text;
  spendText(run, length);
  return isStart ? text.padStart(length, filler) : text.padEnd(length, filler);
}

function repeat(run: Run, text: string, args: readonly Value[]): string {
  const count = wholeArgument(run, args, 0, 0);
  if (count < 0) return fail('repeat needs a count of 0 or more');
  spendText(run, text.length * count);
  return text.repeat(count);
}

function cut(run: Run, text: string, change: (text: string) => string): string {
  spendScan(run, text.length);
  const changed = change(text);
  spendText(run, changed.length);
  return changed;
}

/** Returns whether a text contains the first argument, from the position that is the second. */
export function includesText(run: Run, text: string, args: readonly Value[]): boolean {
  const needle = textArgument(run, args, 0);
  spendSearch(run, text, needle);
  return indexOfText(text, needle, numberArgument(run, args, 1)) !== -1;
}

/** Returns whether a text begins with the first argument, from the position that is the second. */
export function startsWithText(run: Run, text: string, args: readonly Value[]): boolean {
  const needle = textArgument(run, args, 0);
  spendScan(run, needle.length);
  return text.startsWith(needle, numberArgument(run, args, 1));
}

/** Returns whether a text ends with the first argument, before the position that is the second. */
export function endsWithText(run: Run, text: string, args: readonly Value[]): boolean {
  const needle = textArgument(run, args, 0);
  spendScan(run, needle.length);
  return text.endsWith(needle, numberArgument(run, args, 1));
}

// The order in which names sort must not depend on the machine's locale.
const collator = new Intl.Collator('en');

/** Methods of strings that take no regular expression. */
export const textMethods: readonly PlainMethod<string>[] = [
  plain('toUpperCase(): string', 'The text in capitals.', (run, text) => changeCase(run, text, (t) => t.toUpperCase())),
  plain('toLowerCase(): string', 'The text in small letters.', (run, text) =>
    changeCase(run, text, (t) => t.toLowerCase()),
  ),
  plain('trim(): string', 'Without white space at both ends.', (run, text) => cut(run, text, (t) => t.trim())),
  plain('trimStart(): string', 'Without white space at the start.', (run, text) =>
    cut(run, text, (t) => t.trimStart()),
  ),
  plain('trimEnd(): string', 'Without white space at the end.', (run, text) => cut(run, text, (t) => t.trimEnd())),
  plain(
    'padStart(length: number, filler?: string): string',
    'Filled up at the start to that length.',
    (run, text, args) => pad(run, text, args, true),
  ),
  plain('padEnd(length: number, filler?: string): string', 'Filled up at the end to that length.', (run, text, args) =>
    pad(run, text, args, false),
  ),
  plain('repeat(count: number): string', 'The text that many times.', repeat),
  plain('concat(...texts: any[]): string', 'The text followed by the others.', (run, text, args) =>
    joinTexts(run, [text, ...args.map((arg) => toText(run, arg))], ''),
  ),
  plain(
    'slice(start?: number, end?: number): string',
    'A part; negative positions count from the end.',
    (run, text, args) => cut(run, text, (t) => t.slice(numberArgument(run, args, 0), numberArgument(run, args, 1))),
  ),
  plain('substring(start: number, end?: number): string', 'A part between two positions.', (run, text, args) =>
    cut(run, text, (t) => t.substring(wholeArgument(run, args, 0, 0), numberArgument(run, args, 1))),
  ),
  plain('charAt(index: number): string', 'The character at a position, or "".', (run, text, args) =>
    text.charAt(wholeArgument(run, args, 0, 0)),
  ),
  plain('charCodeAt(index: number): number', 'The UTF-16 code at a position, or NaN.', (run, text, args) =>
    text.charCodeAt(wholeArgument(run, args, 0, 0)),
  ),
  plain('includes(text: string, from?: number): boolean', 'Whether it contains a text.', includesText),
  plain('startsWith(text: string, from?: number): boolean', 'Whether it begins with a text.', startsWithText),
  plain('endsWith(text: string, end?: number): boolean', 'Whether it ends with a text.', endsWithText),
  plain('indexOf(text: string, from?: number): number', 'Where a text first occurs, or -1.', (run, text, args) => {
    const needle = textArgument(run, args, 0);
    spendSearch(run, text, needle);
    return indexOfText(text, needle, numberArgument(run, args, 1));
  }),
  plain('lastIndexOf(text: string, from?: number): number', 'Where a text last occurs, or -1.', (run, text, args) => {
    const needle = textArgument(run, args, 0);
    // The native search backwards compares the whole needle at every position.
    spendScan(run, text.length * (1 + needle.length / 2));
    return text.lastIndexOf(needle, numberArgument(run, args, 1));
  }),
  plain('at(index: number): string | undefined', 'The character at a position; -1 is the last.', (run, text, args) =>
    text.at(wholeArgument(run, args, 0, 0)),
  ),
  plain(
    'localeCompare(other: string): number',
    'Below 0, 0 or above 0: the order of two texts for people (English).',
    (run, text, args) => {
      const other = textArgument(run, args, 0);
      spendScan(run, (text.length + other.length) * 32);
      return collator.compare(text, other);
    },
  ),
  plain('toString(): string', 'The text itself.', (_run, text) => text),
];

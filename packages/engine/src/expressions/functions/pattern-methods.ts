import { indexOfText } from '../../find-text.ts';
import { toText } from '../operators.ts';
import { exceed, fail } from '../error.ts';
import { containerBytes, elementBytes } from '../limits.ts';
import { type Match, matchesOf, type Pattern, testPattern } from '../pattern.ts';
import { type Run, spendBytes, spendSearch, spendSteps, spendText } from '../run.ts';
import type { Value } from '../value.ts';
import { wholeArgument } from './arguments.ts';
import { type PatternMethod, withPattern } from './definition.ts';

type Search = Pattern | string | undefined;

function needPattern(search: Search, name: string): Pattern {
  return search !== undefined && typeof search !== 'string'
    ? search
    : fail(`${name} needs a regular expression: /.../`);
}

/** Returns the positions at which `search` occurs as plain text, from left to right. */
function* textMatches(run: Run, text: string, search: string, all: boolean): Generator<Match, void, undefined> {
  spendSearch(run, text, search);
  for (let start = indexOfText(text, search); start !== -1;) {
    spendSteps(run, 1);
    yield { start, end: start + search.length, groups: [search] };
    if (!all || start >= text.length) return;
    start = indexOfText(text, search, start + Math.max(1, search.length));
  }
}

function keepMatch(run: Run, match: Match): Value {
  spendBytes(run, containerBytes + match.groups.reduce((sum, group) => sum + elementBytes + (group?.length ?? 0), 0));
  return match.groups;
}

function matchFirstOrAll(run: Run, text: string, search: Search): Value {
  const pattern = needPattern(search, 'match');
  const found: Value[] = [];
  for (const match of matchesOf(run, pattern, text, pattern.isGlobal)) {
    const kept = keepMatch(run, match);
    if (!pattern.isGlobal) return kept;
    found.push(match.groups[0]);
  }
  return found.length === 0 ? null : found;
}

function matchAll(run: Run, text: string, search: Search): Value {
  const pattern = needPattern(search, 'matchAll');
  if (!pattern.isGlobal) return fail('matchAll needs a regular expression with the flag g: /.../g');
  return Array.from(matchesOf(run, pattern, text, true), (match) => keepMatch(run, match));
}

function replace(run: Run, text: string, search: Search, replacedBy: Value, all: boolean): Value {
  const isText = search === undefined || typeof search === 'string';
  if (!isText && all && !search.isGlobal) return fail('replaceAll needs a regular expression with the flag g: /.../g');
  const matches = isText
    ? textMatches(run, text, search ?? 'undefined', all)
    : matchesOf(run, search, text, search.isGlobal);
  const written = toText(run, replacedBy);
  const groupNames = isText ? [] : search.groupNames;
  const replacement: Replacement = { text: written, isPlain: !written.includes('$'), groupNames };
  const parts: string[] = [];
  let end = 0;
  for (const match of matches) {
    const expanded = expandReplacement(replacement, text, match);
    for (const part of expanded) spendText(run, part.length);
    spendSteps(run, expanded.length);
    parts.push(text.slice(end, match.start), ...expanded);
    end = match.end;
  }
  spendText(run, text.length);
  parts.push(text.slice(end));
  return parts.join('');
}

function split(run: Run, text: string, search: Search, args: readonly Value[]): Value {
  const limit = wholeArgument(run, args, 0, Number.MAX_SAFE_INTEGER);
  spendText(run, text.length + containerBytes);
  if (search === undefined) return [text];
  const pieces = typeof search === 'string' ? splitByText(run, text, search) : splitByPattern(run, text, search);
  spendBytes(run, pieces.length * elementBytes);
  spendSteps(run, pieces.length / 16);
  return limit >= 0 && limit < pieces.length ? pieces.slice(0, limit) : pieces;
}

function splitByText(run: Run, text: string, separator: string): readonly Value[] {
  spendSearch(run, text, separator);
  // Never creates more pieces than the budget allows, although their number is known only afterwards.
  const piecesMax = Math.floor(run.bytesLeft / elementBytes);
  const pieces =
    separator.length <= 1
      ? text.split(separator, Math.min(piecesMax + 1, 2 ** 32 - 1))
      : cutAt(text, separator, piecesMax + 1);
  return pieces.length > piecesMax ? exceed('the expression produces too much data') : pieces;
}

function cutAt(text: string, separator: string, limit: number): string[] {
  const pieces: string[] = [];
  let end = 0;
  while (pieces.length < limit) {
    const start = indexOfText(text, separator, end);
    pieces.push(text.slice(end, start === -1 ? text.length : start));
    if (start === -1) break;
    end = start + separator.length;
  }
  return pieces;
}

function splitByPattern(run: Run, text: string, pattern: Pattern): readonly Value[] {
  const pieces: Value[] = [];
  let end = 0;
  for (const match of matchesOf(run, pattern, text, true)) {
    if (text === '' && match.end === 0) return [];
    // As in JavaScript: an empty match separates characters, but not at the ends nor right after another match.
    if (match.end === end || match.start >= text.length) continue;
    pieces.push(text.slice(end, match.start));
    for (const group of match.groups.slice(1)) {
      spendBytes(run, elementBytes + (group?.length ?? 0));
      pieces.push(group);
    }
    end = match.end;
  }
  pieces.push(text.slice(end));
  return pieces;
}

function search(run: Run, text: string, wanted: Search): Value {
  for (const match of matchesOf(run, needPattern(wanted, 'search'), text, false)) return match.start;
  return -1;
}

/** Methods of strings that take a regular expression. */
export const patternMethods: readonly PatternMethod<string>[] = [
  withPattern('split(separator: string | RegExp, limit?: number): string[]', 'The parts between separators.', split),
  withPattern(
    'replace(search: string | RegExp, replacement: string): string',
    'With the first occurrence replaced; all of them for a regular expression with the flag g.',
    (run, text, wanted, args) => replace(run, text, wanted, args[0], false),
  ),
  withPattern(
    'replaceAll(search: string | RegExp, replacement: string): string',
    'With every occurrence replaced.',
    (run, text, wanted, args) => replace(run, text, wanted, args[0], true),
  ),
  withPattern(
    'match(pattern: RegExp): string[] | null',
    'The first match and its groups; with the flag g, the texts of all matches; null without a match.',
    (run, text, wanted) => matchFirstOrAll(run, text, wanted),
  ),
  withPattern('matchAll(pattern: RegExp): string[][]', 'Every match with its groups.', (run, text, wanted) =>
    matchAll(run, text, wanted),
  ),
  withPattern('search(pattern: RegExp): number', 'Where the first match begins, or -1.', (run, text, wanted) =>
    search(run, text, wanted),
  ),
];

const reference = /\$(?:\$|&|`|'|<([^>]*)>|(\d{1,2}))/g;

/**
 * A replacement text. It may refer to the match as in JavaScript's `replace`: `$&`, `$1`, `$<name>`, `$$` and so on.
 */
interface Replacement {
  /** The replacement text as given. */
  readonly text: string;
  /** True if the text contains references. */
  readonly isPlain: boolean;
  /** The numbers of named groups, by name. */
  readonly groupNames: readonly (readonly [name: string, group: number])[];
}

/** Returns the parts that replace `match` in `whole`, in order. Their lengths can be charged before they are joined. */
function expandReplacement(replacement: Replacement, whole: string, match: Match): readonly string[] {
  if (replacement.isPlain) return [replacement.text];
  const parts: string[] = [];
  let end = 0;
  for (const found of replacement.text.matchAll(reference)) {
    const [token, name, digits] = found;
    const value = digits === undefined ? byToken(token, name, replacement, whole, match) : byNumber(digits, match);
    if (value === undefined) continue;
    parts.push(replacement.text.slice(end, found.index), value);
    end = found.index + token.length;
  }
  parts.push(replacement.text.slice(end));
  return parts;
}

function byToken(
  token: string,
  name: string | undefined,
  replacement: Replacement,
  whole: string,
  match: Match,
): string | undefined {
  if (token === '$$') return '$';
  if (token === '$&') return match.groups[0];
  if (token === '$`') return whole.slice(0, match.start);
  if (token === "$'") return whole.slice(match.end);
  if (replacement.groupNames.length === 0) return undefined;
  const group = replacement.groupNames.find(([groupName]) => groupName === name)?.[1];
  return group === undefined ? '' : (match.groups[group] ?? '');
}

/** `$12` is group 12 if it exists, otherwise group 1 followed by "2". */
function byNumber(digits: string, match: Match): string | undefined {
  const isGroup = (group: number): boolean => group >= 1 && group < match.groups.length;
  if (isGroup(Number(digits))) return match.groups[Number(digits)] ?? '';
  const first = Number(digits[0]);
  if (digits.length === 1 || !isGroup(first)) return undefined;
  return (match.groups[first] ?? '') + digits.slice(1);
}

/** The only method of a regular expression: `/^a/.test(text)`. */
export const patternTest = {
  signature: 'test(text: string): boolean',
  doc: 'Whether the regular expression matches anywhere in a text.',
  apply: (run: Run, pattern: Pattern, text: string): boolean => testPattern(run, pattern, text),
} as const;

import { estimatePatternSize, mayRescan } from '@deckhand/contracts';
import { RE2JS, type Matcher } from 're2js';
import { fail } from './error.ts';
import { spendSteps, type Run } from './run.ts';

/** Maximum length of a regular expression, in characters. */
const patternLengthMax = 1_000;

/** Maximum size of the program that a regular expression compiles to. */
const programSizeMax = 2_000;

/** Maximum number of instructions of cached programs; those of other patterns are compiled again when needed. */
const keptSizeMax = 100_000;

/** Steps for each instruction of a program that is compiled again: about a microsecond. */
const stepsPerInstruction = 0.5;

/**
 * Characters of scanned text after which the caches of a pattern are dropped: they may grow with the text, up to 8 MB
 * each.
 */
const cacheCharactersMax = 65_536;

/** A compiled regular expression. Matching takes time in proportion to the text, whatever the pattern. */
export interface Pattern {
  readonly source: string;
  /** Flags, as re2js has them. */
  readonly bits: number;
  /** Instructions of its program. */
  readonly size: number;
  /** Undefined while it is not cached. */
  expression: RE2JS | undefined;
  /** The flag `g`. */
  readonly isGlobal: boolean;
  readonly groupNames: readonly (readonly [name: string, group: number])[];
  /** Steps for each character of a text. */
  readonly stepsPerCharacter: number;
  readonly mayRescan: boolean;
  /** Characters scanned since the caches were dropped. */
  scanned: number;
}

/** A regular expression that cannot be used; `message` says why. */
export interface PatternIssue {
  readonly message: string;
}

const flagBits: ReadonlyMap<string, number> = new Map([
  ['g', 0],
  ['u', 0],
  ['i', RE2JS.CASE_INSENSITIVE],
  ['m', RE2JS.MULTILINE],
  ['s', RE2JS.DOTALL],
]);

/** Compiles the parts of a regular expression literal with re2js; the JavaScript engine's own are never run. */
export function compilePattern(source: string, flags: string): Pattern | PatternIssue {
  let bits = 0;
  for (const flag of flags) {
    const bit = flagBits.get(flag);
    if (bit === undefined)
      return { message: `the regular expression flag "${flag}" is not supported; g, i, m, s and u are` };
    bits |= bit;
  }
  const isTooLarge = source.length > patternLengthMax || estimatePatternSize(source) > programSizeMax;
  if (isTooLarge) return { message: 'the regular expression is too large' };
  try {
    const expression = toExpression(source, bits);
    const size = expression.programSize();
    const pattern: Pattern = {
      source,
      bits,
      size,
      expression,
      isGlobal: flags.includes('g'),
      groupNames: Object.entries(expression.namedGroups()),
      // From measurements: up to 8 ns for each character and instruction when groups are captured.
      stepsPerCharacter: (1 + size / 8) / 32,
      mayRescan: mayRescan(source),
      scanned: 0,
    };
    keep(pattern);
    return pattern;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'not supported';
    return { message: `the regular expression cannot be used: ${reason} (no lookaround, no back references)` };
  }
}

function toExpression(source: string, bits: number): RE2JS {
  return RE2JS.compile(RE2JS.translateRegExp(source), bits);
}

/** Cached patterns, the oldest first, and the number of their instructions. */
const kept = new Set<Pattern>();
let keptSize = 0;

/** Caches a pattern's program, and drops the oldest ones for it. */
function keep(pattern: Pattern): void {
  kept.add(pattern);
  keptSize += pattern.size;
  for (const oldest of kept) {
    if (keptSize <= keptSizeMax || oldest === pattern) return;
    kept.delete(oldest);
    keptSize -= oldest.size;
    oldest.expression = undefined;
  }
}

/** Returns a pattern's program, compiled again if it is not cached. */
function expressionOf(run: Run, pattern: Pattern): RE2JS {
  if (pattern.expression) return pattern.expression;
  spendSteps(run, pattern.size * stepsPerInstruction);
  const expression = toExpression(pattern.source, pattern.bits);
  pattern.expression = expression;
  keep(pattern);
  return expression;
}

/** Returns whether a result of `compilePattern` is an issue. */
export function isPatternIssue(result: Pattern | PatternIssue): result is PatternIssue {
  return 'message' in result;
}

/** Charges a scan of `text`, and returns the program to scan it with. */
function prepareScan(run: Run, pattern: Pattern, text: string): RE2JS {
  spendSteps(run, 2 + text.length * pattern.stepsPerCharacter);
  const expression = expressionOf(run, pattern);
  pattern.scanned += text.length;
  if (pattern.scanned > cacheCharactersMax) {
    expression.reset();
    pattern.scanned = text.length;
  }
  return expression;
}

/** Returns whether `pattern` matches anywhere in `text`. */
export function testPattern(run: Run, pattern: Pattern, text: string): boolean {
  return prepareScan(run, pattern, text).test(text);
}

/** One match: its position, and the captured groups (0 is the whole match). */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | undefined)[];
}

/** Returns the matches of `pattern` in `text` from left to right, found on demand: all of them, or only the first. */
export function* matchesOf(run: Run, pattern: Pattern, text: string, all: boolean): Generator<Match, void, undefined> {
  const matcher = prepareScan(run, pattern, text).matcher(text);
  while (findNext(matcher)) {
    const match = readMatch(matcher);
    spendSteps(run, 2 + (pattern.mayRescan ? (text.length - match.end) / 32 : 0));
    yield match;
    if (!all) return;
  }
}

function findNext(matcher: Matcher): boolean {
  try {
    return matcher.find();
  } catch {
    return fail('the regular expression could not be matched against this text');
  }
}

function readMatch(matcher: Matcher): Match {
  const groups: (string | undefined)[] = [];
  for (let group = 0; group <= matcher.groupCount(); group += 1) groups.push(matcher.group(group) ?? undefined);
  return { start: matcher.start(), end: matcher.end(), groups };
}

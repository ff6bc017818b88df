import { estimatePatternSize, mayRescan } from '@deckhand/contracts';
import { RE2JS, type Matcher } from 're2js';
import { fail } from './failure.js';
import { spendSteps, type Run } from './run.js';

/** The longest regular expression, in characters. */
const patternLengthMax = 1_000;

/** The largest program that a regular expression may compile to. */
const programSizeMax = 2_000;

/** After how much scanned text the caches of a pattern are dropped: they may grow with the text, up to 8 MB each. */
const cacheCharactersMax = 65_536;

/** A compiled regular expression. Matching takes time in proportion to the text, whatever the pattern. */
export interface Pattern {
  readonly expression: RE2JS;
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
export interface PatternFault {
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
export function compilePattern(source: string, flags: string): Pattern | PatternFault {
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
    const expression = RE2JS.compile(RE2JS.translateRegExp(source), bits);
    return {
      expression,
      isGlobal: flags.includes('g'),
      groupNames: Object.entries(expression.namedGroups()),
      // From measurements: up to 8 ns for each character and instruction when groups are captured.
      stepsPerCharacter: (1 + expression.programSize() / 8) / 32,
      mayRescan: mayRescan(source),
      scanned: 0,
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'not supported';
    return { message: `the regular expression cannot be used: ${reason} (no lookaround, no back references)` };
  }
}

/** Whether `result` of `compilePattern` is a fault. */
export function isPatternFault(result: Pattern | PatternFault): result is PatternFault {
  return 'message' in result;
}

function chargeScan(run: Run, pattern: Pattern, text: string): void {
  spendSteps(run, 2 + text.length * pattern.stepsPerCharacter);
  pattern.scanned += text.length;
  if (pattern.scanned <= cacheCharactersMax) return;
  pattern.expression.reset();
  pattern.scanned = text.length;
}

/** Whether `pattern` matches anywhere in `text`. */
export function testPattern(run: Run, pattern: Pattern, text: string): boolean {
  chargeScan(run, pattern, text);
  return pattern.expression.test(text);
}

/** One match: where it is, and what each group captured (0 is the whole match). */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | undefined)[];
}

/**
 * The matches of `pattern` in `text` from left to right, found as they are asked for; all of them, or only the first.
 */
export function* matchesOf(run: Run, pattern: Pattern, text: string, all: boolean): Generator<Match, void, undefined> {
  chargeScan(run, pattern, text);
  const matcher = pattern.expression.matcher(text);
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

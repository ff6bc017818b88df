/** Maximum repetition count. re2js refuses larger ones too, but only after much of the work. */
const repetitionMax = 1_000;

interface Group {
  /** Instructions of the group so far, without its last element. */
  size: number;
  /** Instructions of the last element, which a quantifier may multiply. */
  last: number;
}

/**
 * Estimates how many instructions a regular expression compiles to, without compiling it: `(?:ab{50}){20}` is about
 * 1,020. A few characters can describe a program of millions, whose compilation alone would take seconds.
 */
export function estimatePatternSize(pattern: string): number {
  const open: Group[] = [];
  let group: Group = { size: 0, last: 0 };
  const token = /\\[pP]\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|[^]/gu;
  for (const [text, low, high] of pattern.matchAll(token)) {
    if (low !== undefined) {
      const count = Math.max(Number(low), Number(high ?? 0), 1);
      group.last *= Math.min(count, repetitionMax);
    } else if (text === '(') {
      open.push(group);
      group = { size: 0, last: 0 };
    } else if (text === ')') {
      const inner = group.size + group.last + 2;
      group = open.pop() ?? { size: 0, last: 0 };
      group.size += group.last;
      group.last = inner;
    } else {
      group.size += group.last;
      group.last = 1;
    }
  }
  return open.reduce((total, each) => total + each.size + each.last, group.size + group.last);
}

/**
 * Returns true if finding all matches may read the same text repeatedly: an unbounded repetition inside an alternative
 * (`a.*b|a`) can run to the end of the text for every short match. When in doubt, returns true.
 */
export function mayRescan(pattern: string): boolean {
  const bare = pattern.replace(/\\.|\[(?:\\.|[^\]\\])*\]/gsu, 'x');
  const isUnbounded = /[*+]|\{\d+,\}/.test(bare);
  const hasChoice = /\||\)[*+?{]/.test(bare);
  return isUnbounded && hasChoice;
}

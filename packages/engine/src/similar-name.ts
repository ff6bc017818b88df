/** Largest number of edits, and smallest length of a name: of short ones, most are similar. */
const MAX_EDITS = 2;
const MIN_LENGTH = 3;

/**
 * Returns the name that is most like a mistyped one: written in other case, or up to two letters away; undefined if
 * there is none. Takes time proportional to the length of all names together.
 */
export function findSimilarName(mistyped: string, names: Iterable<string>): string | undefined {
  const wanted = mistyped.toLowerCase();
  let best: string | undefined;
  let least = Math.min(MAX_EDITS, Math.floor(wanted.length / MIN_LENGTH)) + 1;
  for (const name of names) {
    const edits = countEdits(wanted, name.toLowerCase(), least - 1);
    if (edits >= least) continue;
    best = name;
    least = edits;
  }
  return best;
}

/** Returns ` (did you mean "…"?)`, or nothing if no name is similar. */
export function didYouMean(mistyped: string, names: Iterable<string>): string {
  const name = findSimilarName(mistyped, names);
  return name === undefined ? '' : ` (did you mean "${name}"?)`;
}

/**
 * Counts the letters to insert, delete, replace, or swap with the next one (optimal string alignment); more than `max`
 * if there are more than that.
 */
function countEdits(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let twoBefore: readonly number[] = [];
  let before = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const edits = Array.from({ length: b.length + 1 }, () => max + 1);
    edits[0] = row;
    // Only cells near the diagonal can have few edits.
    for (let column = Math.max(1, row - max); column <= Math.min(b.length, row + max); column += 1) {
      const replaced = (before[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwap = row > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwap ? (twoBefore[column - 2] ?? 0) + 1 : max + 1;
      edits[column] = Math.min(replaced, swapped, (before[column] ?? 0) + 1, (edits[column - 1] ?? 0) + 1);
    }
    twoBefore = before;
    before = edits;
  }
  return before[b.length] ?? max + 1;
}

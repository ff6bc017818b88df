/** Largest number of edits, and smallest length of a name: of short ones, most are similar. */
const MAX_EDITS = 2;
const MIN_LENGTH = 3;

/** The work that may still be done to suggest names for one definition: anybody may send a huge and wrong one. */
export interface SuggestionBudget {
  /** Number of mistyped names for which a similar one is looked for. */
  names: number;
  /** Number of pairs of letters that are compared. Below zero, nothing is suggested. */
  cells: number;
}

/** Returns the budget of a definition: more than a person reads, and a fraction of a second at most. */
export function createSuggestionBudget(): SuggestionBudget {
  return { names: 20, cells: 2_000_000 };
}

/** Returns ` (did you mean "…"?)`, or nothing if no name is similar, or the budget is spent. */
export function didYouMean(mistyped: string, names: Iterable<string>, budget: SuggestionBudget): string {
  if (budget.names <= 0 || budget.cells < 0) return '';
  budget.names -= 1;
  const name = findSimilarName(mistyped, names, budget);
  return name === undefined ? '' : ` (did you mean "${name}"?)`;
}

/** Returns the name that is most like a mistyped one: written in other case, or up to two letters away. */
function findSimilarName(mistyped: string, names: Iterable<string>, budget: SuggestionBudget): string | undefined {
  const wanted = mistyped.toLowerCase();
  let best: string | undefined;
  let least = Math.min(MAX_EDITS, Math.floor(wanted.length / MIN_LENGTH)) + 1;
  for (const name of names) {
    const edits = countEdits(wanted, name.toLowerCase(), least - 1, budget);
    // A name that was not looked at may be the better one.
    if (budget.cells < 0) return undefined;
    if (edits >= least) continue;
    best = name;
    least = edits;
    if (edits === 0) break;
  }
  return best;
}

/**
 * Counts the letters to insert, delete, replace, or swap with the next one (optimal string alignment); more than `max`
 * if there are more than that, or the budget is spent.
 */
function countEdits(a: string, b: string, max: number, budget: SuggestionBudget): number {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let twoBefore: number[] = [];
  let before = Array.from({ length: max + 2 }, (_, column) => column);
  let edits: number[] = [];
  for (let row = 1; row <= a.length; row += 1) {
    // Only cells near the diagonal can have few edits. Those beside them have too many.
    const first = Math.max(1, row - max);
    const last = Math.min(b.length, row + max);
    budget.cells -= last - first + 1;
    if (budget.cells < 0) return max + 1;
    edits[first - 1] = first === 1 ? row : max + 1;
    edits[last + 1] = max + 1;
    let least = edits[first - 1] ?? row;
    for (let column = first; column <= last; column += 1) {
      const replaced = (before[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwap = row > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwap ? (twoBefore[column - 2] ?? 0) + 1 : max + 1;
      const cell = Math.min(replaced, swapped, (before[column] ?? 0) + 1, (edits[column - 1] ?? 0) + 1);
      edits[column] = cell;
      least = Math.min(least, cell);
    }
    // No later row has fewer: a swap takes as many as to replace a letter in this one.
    if (least > max) return least;
    [twoBefore, before, edits] = [before, edits, twoBefore];
  }
  return before[b.length] ?? max + 1;
}

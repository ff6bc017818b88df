/** Maximum number of steps that can be undone. */
const MAX_STEPS = 200;

/** An edited value, with the steps to undo and redo. */
export interface History<T> {
  readonly present: T;
  readonly past: readonly T[];
  readonly future: readonly T[];
  /** The name of the last step; a following step of the same name is merged with it. */
  readonly step: string | undefined;
}

/** Creates a history that starts with a value. */
export function begin<T>(present: T): History<T> {
  return { present, past: [], future: [], step: undefined };
}

/**
 * Adds an edit.
 * @param step the name of the edit, such as a drag: consecutive edits of one name are undone together.
 */
export function edit<T>(history: History<T>, next: T, step?: string): History<T> {
  if (next === history.present) return history;
  const isSame = step !== undefined && step === history.step;
  const past = isSame ? history.past : [...history.past, history.present].slice(-MAX_STEPS);
  return { present: next, past, future: [], step };
}

/** Undoes the last step. */
export function undo<T>(history: History<T>): History<T> {
  const before = history.past.at(-1);
  if (before === undefined) return history;
  const { past, present, future } = history;
  return { present: before, past: past.slice(0, -1), future: [present, ...future], step: undefined };
}

/** Repeats a step that was undone. */
export function redo<T>(history: History<T>): History<T> {
  const [after, ...future] = history.future;
  if (after === undefined) return history;
  return { present: after, past: [...history.past, history.present], future, step: undefined };
}

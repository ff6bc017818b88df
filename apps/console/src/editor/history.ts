/** Steps that can be taken back at most. */
const MAX_STEPS = 200;

/** What is edited, with the way back and forth. */
export interface History<T> {
  readonly present: T;
  readonly past: readonly T[];
  readonly future: readonly T[];
  /** What the last step was; the next of the same name is part of it. */
  readonly step: string | undefined;
}

/** A history that begins here. */
export function begin<T>(present: T): History<T> {
  return { present, past: [], future: [], step: undefined };
}

/**
 * Makes an edit.
 * @param step names what goes on, such as a drag: edits of one name in a row are taken back together.
 */
export function edit<T>(history: History<T>, next: T, step?: string): History<T> {
  if (next === history.present) return history;
  const isSame = step !== undefined && step === history.step;
  const past = isSame ? history.past : [...history.past, history.present].slice(-MAX_STEPS);
  return { present: next, past, future: [], step };
}

/** Takes the last step back. */
export function undo<T>(history: History<T>): History<T> {
  const before = history.past.at(-1);
  if (before === undefined) return history;
  const { past, present, future } = history;
  return { present: before, past: past.slice(0, -1), future: [present, ...future], step: undefined };
}

/** Makes a step again that was taken back. */
export function redo<T>(history: History<T>): History<T> {
  const [after, ...future] = history.future;
  if (after === undefined) return history;
  return { present: after, past: [...history.past, history.present], future, step: undefined };
}

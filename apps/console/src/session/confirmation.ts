/** A request to the person to confirm who they are; all requests of the moment wait for the same one. */
interface Asked {
  readonly answered: Promise<boolean>;
  readonly answer: (isConfirmed: boolean) => void;
}

const listeners = new Set<() => void>();
let asked: Asked | undefined;

/** Asks the person to confirm who they are. @returns false if the person cancels, or nothing can ask. */
export function askToConfirm(): Promise<boolean> {
  if (listeners.size === 0) return Promise.resolve(false);
  if (!asked) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    asked = { answered: promise, answer: resolve };
    notifyListeners();
  }
  return asked.answered;
}

/** Returns whether the person is asked. */
export function isAskedToConfirm(): boolean {
  return asked !== undefined;
}

/** Ends the request. */
export function answerConfirmation(isConfirmed: boolean): void {
  const { answer } = asked ?? {};
  asked = undefined;
  notifyListeners();
  answer?.(isConfirmed);
}

/** Calls `listener` after every change. @returns a function that stops it. */
export function watchConfirmation(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notifyListeners(): void {
  for (const listener of listeners) listener();
}

import { adviceOn } from './advice.ts';

/** A notification for the person. */
export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isBad: boolean;
}

/** How long a notice stays, in ms. */
const STAY_MS = 6_000;

let notices: readonly Notice[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/** Shows a notification for a while. */
export function notify(text: string): void {
  post(text, false);
}

/** Shows an error for a while, with advice. */
export function notifyProblem(error: unknown): void {
  const { message, advice } = adviceOn(error);
  post([message, advice].filter(Boolean).join('. '), true);
}

/** Removes a notification. */
export function dismiss(id: number): void {
  set(notices.filter((notice) => notice.id !== id));
}

export function readNotices(): readonly Notice[] {
  return notices;
}

export function watchNotices(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function post(text: string, isBad: boolean): void {
  const id = (lastId += 1);
  set([...notices.slice(-2), { id, text, isBad }]);
  setTimeout(() => dismiss(id), STAY_MS);
}

function set(next: readonly Notice[]): void {
  notices = next;
  for (const listener of listeners) listener();
}

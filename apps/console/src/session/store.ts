import { isJsonObject, parseJson } from '@deckhand/contracts';

/** The session of a signed-in person. Stored in this tab's session storage: docs/console.md has the reasons. */
export interface Session {
  readonly token: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

const PLACE = 'deckhand.session';

const listeners = new Set<() => void>();
let current: Session | undefined = load();

/** Returns the session; undefined if nobody is signed in. The object is the same until the session changes. */
export function readSession(): Session | undefined {
  return current;
}

/** Signs in. */
export function beginSession({ token, expiresAt }: Session): void {
  current = { token, expiresAt };
  sessionStorage.setItem(PLACE, JSON.stringify(current));
  notifyListeners();
}

/** Signs out. With `token`, only if the session still has it: a late refusal must not end a newer session. */
export function endSession(token?: string): void {
  if (current === undefined || (token !== undefined && token !== current.token)) return;
  current = undefined;
  sessionStorage.removeItem(PLACE);
  notifyListeners();
}

/** Calls `listener` after every change. @returns a function that stops it. */
export function watchSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notifyListeners(): void {
  for (const listener of listeners) listener();
}

function load(): Session | undefined {
  const text = sessionStorage.getItem(PLACE);
  if (text === null) return undefined;
  return toSession(parseJson(text));
}

/** Parses a stored or shared session; undefined if it is no longer valid. */
export function toSession(value: unknown): Session | undefined {
  if (!isJsonObject(value)) return undefined;
  const { token, expiresAt } = value;
  if (typeof token !== 'string' || typeof expiresAt !== 'string') return undefined;
  return Date.parse(expiresAt) > Date.now() ? { token, expiresAt } : undefined;
}

import { isJsonObject, parseJson } from '@deckhand/contracts';

/** A signed-in person's proof. Lives in this tab's session storage: docs/console.md says why. */
export interface Session {
  readonly token: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

const PLACE = 'deckhand.session';

const listeners = new Set<() => void>();
let current: Session | undefined = load();

/** The session, or undefined when nobody is signed in. The same object until it changes. */
export function readSession(): Session | undefined {
  return current;
}

/** Signs in. */
export function beginSession({ token, expiresAt }: Session): void {
  current = { token, expiresAt };
  sessionStorage.setItem(PLACE, JSON.stringify(current));
  tell();
}

/** Signs out. With `token`, only if it is still the one: a late refusal must not end what came after it. */
export function endSession(token?: string): void {
  if (current === undefined || (token !== undefined && token !== current.token)) return;
  current = undefined;
  sessionStorage.removeItem(PLACE);
  tell();
}

/** Calls `listener` at every change. @returns how to stop that. */
export function watchSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(): void {
  for (const listener of listeners) listener();
}

function load(): Session | undefined {
  const text = sessionStorage.getItem(PLACE);
  if (text === null) return undefined;
  return toSession(parseJson(text));
}

/** A session that is still valid, of whatever was kept or handed over. */
export function toSession(value: unknown): Session | undefined {
  if (!isJsonObject(value)) return undefined;
  const { token, expiresAt } = value;
  if (typeof token !== 'string' || typeof expiresAt !== 'string') return undefined;
  return Date.parse(expiresAt) > Date.now() ? { token, expiresAt } : undefined;
}

import { type Definition, parseOwnJson } from '@deckhand/contracts';

/** An edit that was not saved when the session ended. */
export interface KeptEdit {
  readonly definition: Definition;
  readonly baseVersionId: string | null;
  /** The tag of the draft that it replaces; null for none. */
  readonly tag: string | null;
}

/** Whose edit it is, and of which workflow. */
export interface EditPlace {
  readonly userId: string;
  readonly workflowId: string;
}

// Session storage belongs to this tab: nothing is left once it is closed.
const PREFIX = 'deckhand.edit.';

const prefixOf = (userId: string): string => `${PREFIX}${userId}.`;
const keyOf = ({ userId, workflowId }: EditPlace): string => `${prefixOf(userId)}${workflowId}`;

/** Keeps an edit for the same person in this tab. */
export function keepEdit(place: EditPlace, edit: KeptEdit): void {
  try {
    sessionStorage.setItem(keyOf(place), JSON.stringify(edit));
  } catch {
    // The storage is full: the session has to end nevertheless.
  }
}

/** Returns the edit that was kept; undefined if there is none. */
export function readKeptEdit(place: EditPlace): KeptEdit | undefined {
  const text = sessionStorage.getItem(keyOf(place));
  return text === null ? undefined : parseOwnJson<KeptEdit>(text);
}

/** Forgets an edit, because it was saved. */
export function forgetKeptEdit(place: EditPlace): void {
  sessionStorage.removeItem(keyOf(place));
}

/** Forgets the edits of everybody else. */
export function forgetEditsOfOthers(userId: string): void {
  const keys = Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX));
  for (const key of keys) if (!key.startsWith(prefixOf(userId))) sessionStorage.removeItem(key);
}
